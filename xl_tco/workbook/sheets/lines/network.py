"""Lines of a network that is counted piece by piece: a fat tree or a dragonfly."""

from __future__ import annotations

from xl_tco.workbook.sheets.lines.line import Line, Sections, flag, metric, when

__all__ = ["NETWORK"]


def _ceiling(quotient: str) -> str:
    """Round up to whole things: INT rounds down."""
    return f"-INT(-{quotient})"


_FAT_TREE = when(
    "{fat_tree}",
    Line(
        "leaf_ports",
        "Ports of a leaf switch to endpoints, with a fraction",
        "ports",
        "switch_radix*oversubscription/(1+oversubscription)",
    ),
    Line(
        "leaf_endpoints",
        "Ports of a leaf switch to endpoints",
        "ports",
        "INT({leaf_ports}+counting_tolerance)",
    ),
    Line(
        "leaf_uplinks",
        "Ports of a leaf switch that go up",
        "ports",
        "-INT(counting_tolerance-{leaf_endpoints}/oversubscription)",
    ),
    Line("half_radix", "Half of a switch's ports", "ports", "INT(switch_radix/halves)"),
    Line(
        "room_of_two",
        "Endpoints that two tiers have room for",
        "endpoints",
        "INT(switch_radix/network_rails)*network_rails*{leaf_endpoints}",
    ),
    Line(
        "leaf_sets",
        "Leaf switches of three tiers, over the rails",
        "switches",
        "INT(switch_radix*{half_radix}/network_rails)",
    ),
    Line(
        "room_of_three",
        "Endpoints that three tiers have room for",
        "endpoints",
        "{leaf_sets}*network_rails*{leaf_endpoints}",
    ),
    Line(
        "fat_tree_room",
        "Endpoints that a fat tree has room for",
        "endpoints",
        "MAX(switch_radix,{room_of_two},{room_of_three})",
    ),
    Line("more_tiers", "One switch is too small", "1 yes, 0 no", "({endpoints}>switch_radix)*1"),
    Line(
        "three_tiers",
        "Two tiers are too small",
        "1 yes, 0 no",
        "{more_tiers}*({endpoints}>{room_of_two})",
    ),
    Line("two_tiers", "Two tiers are enough", "1 yes, 0 no", "{more_tiers}-{three_tiers}"),
    Line(
        "rail_leaves",
        "Leaf switches of a rail",
        "switches",
        "-INT(INT(-{endpoints}/network_rails)/{leaf_endpoints})",
    ),
    Line("leaves", "Leaf switches, if there are tiers", "switches", "network_rails*{rail_leaves}"),
    Line(
        "spine_links",
        "Two tiers: links of a leaf to a spine switch",
        "links",
        "MAX(INT(switch_radix/{leaves}),1)",
    ),
    Line(
        "spines_of_two",
        "Two tiers: spine switches",
        "switches",
        _ceiling("{leaf_uplinks}/{spine_links}"),
    ),
    Line("pods", "Three tiers: pods", "pods", _ceiling("{leaves}/{half_radix}")),
    Line(
        "pod_leaves",
        "Three tiers: leaf switches of a pod",
        "switches",
        _ceiling("{leaves}/{pods}"),
    ),
    Line(
        "pod_links",
        "Three tiers: links of a leaf to a spine switch",
        "links",
        "INT({half_radix}/{pod_leaves})",
    ),
    Line(
        "pod_spines",
        "Three tiers: spine switches of a pod",
        "switches",
        _ceiling("{leaf_uplinks}/{pod_links}"),
    ),
    Line(
        "core_links",
        "Three tiers: links of a pod to a core switch",
        "links",
        "MAX(INT(switch_radix/{pods}),1)",
    ),
    Line(
        "plane_cores",
        "Three tiers: core switches of a plane",
        "switches",
        _ceiling("{pod_leaves}*{pod_links}/{core_links}"),
    ),
    Line(
        "leaf_switches",
        "Leaf switches",
        "switches",
        "1+{more_tiers}*({leaves}-1)",
    ),
    Line(
        "spine_switches",
        "Spine switches",
        "switches",
        "{two_tiers}*{spines_of_two}+{three_tiers}*{pods}*{pod_spines}",
    ),
    Line("core_switches", "Core switches", "switches", "{three_tiers}*{pod_spines}*{plane_cores}"),
    Line(
        "fat_tree_switches",
        "Switches of the fat tree",
        "switches",
        "{leaf_switches}+{spine_switches}+{core_switches}",
    ),
    Line(
        "fat_tree_cables",
        "Cables between switches, all optical",
        "cables",
        "{leaf_switches}*{leaf_uplinks}*({more_tiers}+{three_tiers})",
    ),
)

_DRAGONFLY = when(
    "{dragonfly}",
    Line(
        "switch_endpoints",
        "Endpoints of a switch",
        "endpoints",
        "INT((switch_radix+1)/dragonfly_ports)",
    ),
    Line("group_switches", "Switches of a group", "switches", "dragonfly_group*{switch_endpoints}"),
    Line(
        "group_endpoints",
        "Endpoints of a group, and its global ports",
        "endpoints",
        "{group_switches}*{switch_endpoints}",
    ),
    Line(
        "dragonfly_room",
        "Endpoints that a dragonfly has room for",
        "endpoints",
        "{group_endpoints}*({group_endpoints}+1)",
    ),
    Line(
        "groups", "Groups, begun ones counted", "groups", _ceiling("{endpoints}/{group_endpoints}")
    ),
    Line(
        "dragonfly_switches", "Switches of the dragonfly", "switches", "{groups}*{group_switches}"
    ),
    Line(
        "local_cables",
        "Cables within groups, copper",
        "cables",
        "{groups}*{group_switches}*({group_switches}-1)/ends_of_a_cable",
    ),
    Line(
        "pair_cables",
        "Cables between any two groups",
        "cables",
        "INT({group_endpoints}/MAX({groups}-1,1))",
    ),
    Line(
        "global_cables",
        "Cables between groups, optical",
        "cables",
        "{groups}*({groups}-1)/ends_of_a_cable*{pair_cables}",
    ),
)

_FABRIC = when(
    "use_topology=1",
    metric("network_switches", "SUM({fat_tree_switches},{dragonfly_switches})"),
    Line(
        "optical_cables",
        "Optical cables between switches",
        "cables",
        "SUM({fat_tree_cables},{global_cables})",
    ),
    metric("network_transceivers", "ends_of_a_cable*({endpoints}+{optical_cables})"),
    metric("network_cables", "{endpoints}+{optical_cables}+N({local_cables})"),
    Line("switches_watts", "Power of the switches", "W", "{network_switches}*switch_watts"),
    Line(
        "optics_watts",
        "Power of the transceivers",
        "W",
        "{network_transceivers}*transceiver_watts",
    ),
    metric("network_kw", "({switches_watts}+{optics_watts})/watts_per_kilowatt"),
    Line("switches_usd", "Price of the switches", "USD", "{network_switches}*switch_usd"),
    Line("optics_usd", "Price of the optics", "USD", "{network_transceivers}*transceiver_usd"),
    Line("cables_usd", "Price of the cables", "USD", "{network_cables}*cable_usd"),
    Line("adapters_usd", "Price of the adapters", "USD", "{endpoints}*adapter_usd"),
    Line(
        "counted_network_usd",
        "Price of the network that is counted",
        "USD",
        "{switches_usd}+{optics_usd}+{cables_usd}+{adapters_usd}",
    ),
)

NETWORK: Sections = {
    "Network: what it joins": (
        Line(
            "fleet",
            "Accelerators, hot spares included",
            "accelerators",
            "accelerators+hot_spares",
        ),
        *when(
            "use_topology=1",
            Line("endpoints", "Endpoints of the network", "endpoints", "{fleet}*network_ports"),
        ),
        flag("fat_tree", "The network is a fat tree", 'network_topology="fat-tree"'),
        flag("dragonfly", "The network is a dragonfly", 'network_topology="dragonfly"'),
    ),
    "Network: a fat tree": _FAT_TREE,
    "Network: a dragonfly": _DRAGONFLY,
    "Network: pieces, power and price": _FABRIC,
}
