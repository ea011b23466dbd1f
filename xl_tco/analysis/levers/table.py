"""The levers on the cost, layer by layer, and how strong each is taken to be.

References
----------
.. [1] PyTorch blog, "MXFP8 Training for MoEs: 1.3x training speedup vs BF16 for Llama4 Scout on
   GB200 cluster using TorchAO and TorchTitan" (30.2% faster, with the same convergence).
.. [2] Muennighoff et al. 2024, "OLMoE: Open Mixture-of-Experts Language Models", arXiv:2409.02060
   (about twice as fast to the quality of a dense model).
.. [3] Tirumala et al. 2023, "D4: Improving LLM Pretraining via Document De-Duplication and
   Diversification", arXiv:2308.12284 (20% more efficient at 6.7B parameters).
.. [4] Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models",
   arXiv:2205.05198 (selective recomputation).
.. [5] Jiang et al. 2024, "MegaScale", arXiv:2402.15627 (MFU of 55.2% on 12,288 GPUs).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xl_tco.analysis.levers import effects
from xl_tco.analysis.levers.effects import EXPOSED, TOP_MFU, Lever

__all__ = ["ASSUMPTION", "LAYERS", "LEVERS"]

LAYERS = ("hardware", "software", "algorithm", "operations")
ASSUMPTION = "an assumption, yours to change"

_ALL = (
    Lever(
        "accelerator",
        "hardware",
        "Next generation of accelerator",
        "The accelerator of this key, or the next of its vendor; as many of them, at the same MFU.",
        "next",
        "the vendor's generations; figures of the catalogue",
        effects.pull_accelerator,
    ),
    Lever(
        "interconnect",
        "hardware",
        "Faster interconnect",
        "Bandwidth times this: exposed communication falls as much. Its price stays.",
        2.0,
        f"a generation of NVLink or InfiniBand doubles it; {EXPOSED:.0%} of a step exposed is "
        + ASSUMPTION,
        effects.pull_interconnect,
    ),
    Lever(
        "memory",
        "hardware",
        "Larger and faster memory",
        "Memory times this, so that no activation is recomputed, at the same HFU.",
        1.7625,
        "H200 over H100: 141 over 80 GB (NVIDIA); that it is enough is " + ASSUMPTION,
        effects.pull_memory,
    ),
    Lever(
        "packaging",
        "hardware",
        "Advanced packaging",
        "What a denser package changes: the fields that are given for it.",
        None,
        "no figure of its own is published",
        effects.pull_packaging,
    ),
    Lever(
        "framework",
        "software",
        "Framework with a higher MFU",
        f"MFU rises by this, at most to {TOP_MFU:.0%}.",
        0.1,
        "ten points; "
        + ASSUMPTION
        + f"; up to {TOP_MFU:.0%} has been published (arXiv:2402.15627)",
        effects.pull_framework,
    ),
    Lever(
        "precision",
        "software",
        "Training in FP8",
        "Steps are this many times as fast as in 16 bits; MFU falls, being of the FP8 peak.",
        1.3,
        "Llama 4 Scout on GB200: 30.2% faster than in BF16 (PyTorch blog on MXFP8 training)",
        effects.pull_precision,
    ),
    Lever(
        "recomputation",
        "software",
        "Selective recomputation",
        "Extra FLOPs of recomputation fall to this share, at the same HFU.",
        effects.SELECTIVE,
        "1.3 to 5.3% by model size (arXiv:2205.05198, table 5)",
        effects.pull_recomputation,
    ),
    Lever(
        "communication",
        "software",
        "Communication hidden or compressed",
        "This share of the exposed communication goes.",
        0.5,
        f"half of it, and {EXPOSED:.0%} of a step exposed: " + ASSUMPTION,
        effects.pull_communication,
    ),
    Lever(
        "scaling",
        "algorithm",
        "Compute-optimal split",
        "Parameters and tokens that reach the same loss with least compute, by this fit. A smaller "
        "model trained for longer may be wanted all the same: it is cheaper to serve.",
        "besiroglu-2024",
        "Besiroglu et al. 2024, arXiv:2404.10102",
        effects.pull_scaling,
    ),
    Lever(
        "experts",
        "algorithm",
        "Mixture of experts",
        "A token passes through this share of the parameters, at the same quality.",
        0.5,
        "OLMoE: half the compute to the quality of a dense model of as many active parameters "
        "(arXiv:2409.02060); that it holds for this model is " + ASSUMPTION,
        effects.pull_experts,
    ),
    Lever(
        "data",
        "algorithm",
        "Better data",
        "Fewer tokens by this share, to the same quality.",
        0.2,
        "D4: 20% more efficient at 6.7B parameters (arXiv:2308.12284)",
        effects.pull_data,
    ),
    Lever(
        "failures",
        "operations",
        "Elastic fault tolerance",
        "Time lost to failures falls by this share: fast checkpoints, spares that take over.",
        0.5,
        "half; " + ASSUMPTION,
        effects.pull_failures,
    ),
    Lever(
        "siting",
        "operations",
        "Cheaper electricity",
        "The region of this key, or the cheapest of the catalogue; or this price, USD/kWh.",
        "cheapest",
        "prices of the catalogue",
        effects.pull_siting,
    ),
    Lever(
        "scheduling",
        "operations",
        "Better use of the cluster",
        "Utilization rises to this share of the year.",
        0.95,
        "top of the 80 to 95% that the trade quotes for well-run clusters",
        effects.pull_scheduling,
    ),
)

LEVERS: Mapping[str, Lever] = MappingProxyType({lever.name: lever for lever in _ALL})
"""The levers by name, in the order in which they are pulled together."""
