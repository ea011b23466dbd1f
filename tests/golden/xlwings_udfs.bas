Attribute VB_Name = "xlwings_udfs"
'Made by xl-tco: the functions as Import Functions of xlwings writes them, and RegisterTrainingTCO
#Const App = "Microsoft Excel" 'Adjust when using outside of Excel
Function TCO_ACCELERATORS_FOR_DEADLINE(flops, hours, peak_tflops, mfu, Optional waste_share, Optional communication_share)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_ACCELERATORS_FOR_DEADLINE = XLPy.CallUDF("tco_udfs", "TCO_ACCELERATORS_FOR_DEADLINE", Array(flops, hours, peak_tflops, mfu, waste_share, communication_share), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_ACCELERATORS_FOR_DEADLINE = XLPy.CallUDF("tco_udfs", "TCO_ACCELERATORS_FOR_DEADLINE", Array(flops, hours, peak_tflops, mfu, waste_share, communication_share))
        Exit Function
    #End If
failed:
    TCO_ACCELERATORS_FOR_DEADLINE = Err.Description
End Function

Function TCO_ALLREDUCE_BYTES(ranks, message_bytes)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_ALLREDUCE_BYTES = XLPy.CallUDF("tco_udfs", "TCO_ALLREDUCE_BYTES", Array(ranks, message_bytes), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_ALLREDUCE_BYTES = XLPy.CallUDF("tco_udfs", "TCO_ALLREDUCE_BYTES", Array(ranks, message_bytes))
        Exit Function
    #End If
failed:
    TCO_ALLREDUCE_BYTES = Err.Description
End Function

Function TCO_ALLREDUCE_TIME(ranks, message_bytes, gb_per_second, Optional latency_seconds, Optional oversubscription)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_ALLREDUCE_TIME = XLPy.CallUDF("tco_udfs", "TCO_ALLREDUCE_TIME", Array(ranks, message_bytes, gb_per_second, latency_seconds, oversubscription), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_ALLREDUCE_TIME = XLPy.CallUDF("tco_udfs", "TCO_ALLREDUCE_TIME", Array(ranks, message_bytes, gb_per_second, latency_seconds, oversubscription))
        Exit Function
    #End If
failed:
    TCO_ALLREDUCE_TIME = Err.Description
End Function

Function TCO_AMORTIZATION(capex_usd, hours, depreciation_years, Optional residual_share, Optional utilization)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_AMORTIZATION = XLPy.CallUDF("tco_udfs", "TCO_AMORTIZATION", Array(capex_usd, hours, depreciation_years, residual_share, utilization), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_AMORTIZATION = XLPy.CallUDF("tco_udfs", "TCO_AMORTIZATION", Array(capex_usd, hours, depreciation_years, residual_share, utilization))
        Exit Function
    #End If
failed:
    TCO_AMORTIZATION = Err.Description
End Function

Function TCO_BREAKDOWN(inputs, Optional overrides)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_BREAKDOWN = XLPy.CallUDF("tco_udfs", "TCO_BREAKDOWN", Array(inputs, overrides), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_BREAKDOWN = XLPy.CallUDF("tco_udfs", "TCO_BREAKDOWN", Array(inputs, overrides))
        Exit Function
    #End If
failed:
    TCO_BREAKDOWN = Err.Description
End Function

Function TCO_BREAKEVEN(inputs, Optional overrides, Optional figure)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_BREAKEVEN = XLPy.CallUDF("tco_udfs", "TCO_BREAKEVEN", Array(inputs, overrides, figure), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_BREAKEVEN = XLPy.CallUDF("tco_udfs", "TCO_BREAKEVEN", Array(inputs, overrides, figure))
        Exit Function
    #End If
failed:
    TCO_BREAKEVEN = Err.Description
End Function

Function TCO_BUBBLE(pipeline_parallel, micro_batches, Optional pipeline_chunks)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_BUBBLE = XLPy.CallUDF("tco_udfs", "TCO_BUBBLE", Array(pipeline_parallel, micro_batches, pipeline_chunks), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_BUBBLE = XLPy.CallUDF("tco_udfs", "TCO_BUBBLE", Array(pipeline_parallel, micro_batches, pipeline_chunks))
        Exit Function
    #End If
failed:
    TCO_BUBBLE = Err.Description
End Function

Function TCO_CASES(cases)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_CASES = XLPy.CallUDF("tco_udfs", "TCO_CASES", Array(cases), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_CASES = XLPy.CallUDF("tco_udfs", "TCO_CASES", Array(cases))
        Exit Function
    #End If
failed:
    TCO_CASES = Err.Description
End Function

Function TCO_CHECKPOINT_INTERVAL(write_hours, mtbf_hours, Optional checkpoint_method)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_CHECKPOINT_INTERVAL = XLPy.CallUDF("tco_udfs", "TCO_CHECKPOINT_INTERVAL", Array(write_hours, mtbf_hours, checkpoint_method), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_CHECKPOINT_INTERVAL = XLPy.CallUDF("tco_udfs", "TCO_CHECKPOINT_INTERVAL", Array(write_hours, mtbf_hours, checkpoint_method))
        Exit Function
    #End If
failed:
    TCO_CHECKPOINT_INTERVAL = Err.Description
End Function

Function TCO_CLAIMS(inputs, Optional overrides)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_CLAIMS = XLPy.CallUDF("tco_udfs", "TCO_CLAIMS", Array(inputs, overrides), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_CLAIMS = XLPy.CallUDF("tco_udfs", "TCO_CLAIMS", Array(inputs, overrides))
        Exit Function
    #End If
failed:
    TCO_CLAIMS = Err.Description
End Function

Function TCO_COMPARE(inputs, Optional overrides, Optional by)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_COMPARE = XLPy.CallUDF("tco_udfs", "TCO_COMPARE", Array(inputs, overrides, by), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_COMPARE = XLPy.CallUDF("tco_udfs", "TCO_COMPARE", Array(inputs, overrides, by))
        Exit Function
    #End If
failed:
    TCO_COMPARE = Err.Description
End Function

Function TCO_DEPRECIATION(capex_usd, hours, depreciation_years, Optional depreciation_method, Optional age_years, Optional residual_share, Optional utilization, Optional discount_rate)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_DEPRECIATION = XLPy.CallUDF("tco_udfs", "TCO_DEPRECIATION", Array(capex_usd, hours, depreciation_years, depreciation_method, age_years, residual_share, utilization, discount_rate), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_DEPRECIATION = XLPy.CallUDF("tco_udfs", "TCO_DEPRECIATION", Array(capex_usd, hours, depreciation_years, depreciation_method, age_years, residual_share, utilization, discount_rate))
        Exit Function
    #End If
failed:
    TCO_DEPRECIATION = Err.Description
End Function

Function TCO_FLOPS(parameters, tokens, Optional recompute_share, Optional layers, Optional hidden_size, Optional sequence_length)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_FLOPS = XLPy.CallUDF("tco_udfs", "TCO_FLOPS", Array(parameters, tokens, recompute_share, layers, hidden_size, sequence_length), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_FLOPS = XLPy.CallUDF("tco_udfs", "TCO_FLOPS", Array(parameters, tokens, recompute_share, layers, hidden_size, sequence_length))
        Exit Function
    #End If
failed:
    TCO_FLOPS = Err.Description
End Function

Function TCO_HFU(flops, accelerators, peak_tflops, hours, Optional recompute_share)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_HFU = XLPy.CallUDF("tco_udfs", "TCO_HFU", Array(flops, accelerators, peak_tflops, hours, recompute_share), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_HFU = XLPy.CallUDF("tco_udfs", "TCO_HFU", Array(flops, accelerators, peak_tflops, hours, recompute_share))
        Exit Function
    #End If
failed:
    TCO_HFU = Err.Description
End Function

Function TCO_HISTOGRAM(inputs, ranges, Optional correlations, Optional overrides, Optional output, Optional bins, Optional samples, Optional seed)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_HISTOGRAM = XLPy.CallUDF("tco_udfs", "TCO_HISTOGRAM", Array(inputs, ranges, correlations, overrides, output, bins, samples, seed), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_HISTOGRAM = XLPy.CallUDF("tco_udfs", "TCO_HISTOGRAM", Array(inputs, ranges, correlations, overrides, output, bins, samples, seed))
        Exit Function
    #End If
failed:
    TCO_HISTOGRAM = Err.Description
End Function

Function TCO_HOT_SPARES(units, unit_mtbf_hours, repair_hours, Optional availability)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_HOT_SPARES = XLPy.CallUDF("tco_udfs", "TCO_HOT_SPARES", Array(units, unit_mtbf_hours, repair_hours, availability), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_HOT_SPARES = XLPy.CallUDF("tco_udfs", "TCO_HOT_SPARES", Array(units, unit_mtbf_hours, repair_hours, availability))
        Exit Function
    #End If
failed:
    TCO_HOT_SPARES = Err.Description
End Function

Function TCO_LEVERS(inputs, Optional overrides)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_LEVERS = XLPy.CallUDF("tco_udfs", "TCO_LEVERS", Array(inputs, overrides), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_LEVERS = XLPy.CallUDF("tco_udfs", "TCO_LEVERS", Array(inputs, overrides))
        Exit Function
    #End If
failed:
    TCO_LEVERS = Err.Description
End Function

Function TCO_LOSS(parameters, tokens, Optional fit)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_LOSS = XLPy.CallUDF("tco_udfs", "TCO_LOSS", Array(parameters, tokens, fit), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_LOSS = XLPy.CallUDF("tco_udfs", "TCO_LOSS", Array(parameters, tokens, fit))
        Exit Function
    #End If
failed:
    TCO_LOSS = Err.Description
End Function

Function TCO_MEMORY(parameters, layers, hidden_size, heads, sequence_length, Optional micro_batch, Optional tensor_parallel, Optional pipeline_parallel, Optional data_parallel, Optional zero_stage, Optional recomputation)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_MEMORY = XLPy.CallUDF("tco_udfs", "TCO_MEMORY", Array(parameters, layers, hidden_size, heads, sequence_length, micro_batch, tensor_parallel, pipeline_parallel, data_parallel, zero_stage, recomputation), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_MEMORY = XLPy.CallUDF("tco_udfs", "TCO_MEMORY", Array(parameters, layers, hidden_size, heads, sequence_length, micro_batch, tensor_parallel, pipeline_parallel, data_parallel, zero_stage, recomputation))
        Exit Function
    #End If
failed:
    TCO_MEMORY = Err.Description
End Function

Function TCO_METRIC(inputs, metric, Optional overrides)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_METRIC = XLPy.CallUDF("tco_udfs", "TCO_METRIC", Array(inputs, metric, overrides), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_METRIC = XLPy.CallUDF("tco_udfs", "TCO_METRIC", Array(inputs, metric, overrides))
        Exit Function
    #End If
failed:
    TCO_METRIC = Err.Description
End Function

Function TCO_MFU(flops, accelerators, peak_tflops, hours)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_MFU = XLPy.CallUDF("tco_udfs", "TCO_MFU", Array(flops, accelerators, peak_tflops, hours), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_MFU = XLPy.CallUDF("tco_udfs", "TCO_MFU", Array(flops, accelerators, peak_tflops, hours))
        Exit Function
    #End If
failed:
    TCO_MFU = Err.Description
End Function

Function TCO_MIN_ACCELERATORS(parameters, layers, hidden_size, heads, sequence_length, memory_gb, Optional micro_batch, Optional zero_stage, Optional recomputation, Optional largest_tensor)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_MIN_ACCELERATORS = XLPy.CallUDF("tco_udfs", "TCO_MIN_ACCELERATORS", Array(parameters, layers, hidden_size, heads, sequence_length, memory_gb, micro_batch, zero_stage, recomputation, largest_tensor), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_MIN_ACCELERATORS = XLPy.CallUDF("tco_udfs", "TCO_MIN_ACCELERATORS", Array(parameters, layers, hidden_size, heads, sequence_length, memory_gb, micro_batch, zero_stage, recomputation, largest_tensor))
        Exit Function
    #End If
failed:
    TCO_MIN_ACCELERATORS = Err.Description
End Function

Function TCO_MTBF(accelerators, accelerator_mtbf_hours)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_MTBF = XLPy.CallUDF("tco_udfs", "TCO_MTBF", Array(accelerators, accelerator_mtbf_hours), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_MTBF = XLPy.CallUDF("tco_udfs", "TCO_MTBF", Array(accelerators, accelerator_mtbf_hours))
        Exit Function
    #End If
failed:
    TCO_MTBF = Err.Description
End Function

Function TCO_NETWORK_COST(accelerators, Optional network_topology, Optional switch_radix, Optional network_rails, Optional oversubscription, Optional switch_usd, Optional transceiver_usd, Optional cable_usd, Optional network_ports, Optional adapter_usd)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_NETWORK_COST = XLPy.CallUDF("tco_udfs", "TCO_NETWORK_COST", Array(accelerators, network_topology, switch_radix, network_rails, oversubscription, switch_usd, transceiver_usd, cable_usd, network_ports, adapter_usd), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_NETWORK_COST = XLPy.CallUDF("tco_udfs", "TCO_NETWORK_COST", Array(accelerators, network_topology, switch_radix, network_rails, oversubscription, switch_usd, transceiver_usd, cable_usd, network_ports, adapter_usd))
        Exit Function
    #End If
failed:
    TCO_NETWORK_COST = Err.Description
End Function

Function TCO_NETWORK_SWITCHES(accelerators, Optional network_topology, Optional switch_radix, Optional network_rails, Optional oversubscription, Optional network_ports)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_NETWORK_SWITCHES = XLPy.CallUDF("tco_udfs", "TCO_NETWORK_SWITCHES", Array(accelerators, network_topology, switch_radix, network_rails, oversubscription, network_ports), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_NETWORK_SWITCHES = XLPy.CallUDF("tco_udfs", "TCO_NETWORK_SWITCHES", Array(accelerators, network_topology, switch_radix, network_rails, oversubscription, network_ports))
        Exit Function
    #End If
failed:
    TCO_NETWORK_SWITCHES = Err.Description
End Function

Function TCO_OPTIMAL_PARAMETERS(flops, Optional fit)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_OPTIMAL_PARAMETERS = XLPy.CallUDF("tco_udfs", "TCO_OPTIMAL_PARAMETERS", Array(flops, fit), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_OPTIMAL_PARAMETERS = XLPy.CallUDF("tco_udfs", "TCO_OPTIMAL_PARAMETERS", Array(flops, fit))
        Exit Function
    #End If
failed:
    TCO_OPTIMAL_PARAMETERS = Err.Description
End Function

Function TCO_OPTIMAL_TOKENS(flops, Optional fit)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_OPTIMAL_TOKENS = XLPy.CallUDF("tco_udfs", "TCO_OPTIMAL_TOKENS", Array(flops, fit), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_OPTIMAL_TOKENS = XLPy.CallUDF("tco_udfs", "TCO_OPTIMAL_TOKENS", Array(flops, fit))
        Exit Function
    #End If
failed:
    TCO_OPTIMAL_TOKENS = Err.Description
End Function

Function TCO_PARAMETERS(layers, hidden_size, heads, feed_forward_size, vocabulary, Optional kv_heads, Optional head_size, Optional tied, Optional experts, Optional active_experts, Optional shared_experts, Optional expert_size, Optional dense_layers, Optional positions, Optional bias, Optional figure, Optional gated)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_PARAMETERS = XLPy.CallUDF("tco_udfs", "TCO_PARAMETERS", Array(layers, hidden_size, heads, feed_forward_size, vocabulary, kv_heads, head_size, tied, experts, active_experts, shared_experts, expert_size, dense_layers, positions, bias, figure, gated), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_PARAMETERS = XLPy.CallUDF("tco_udfs", "TCO_PARAMETERS", Array(layers, hidden_size, heads, feed_forward_size, vocabulary, kv_heads, head_size, tied, experts, active_experts, shared_experts, expert_size, dense_layers, positions, bias, figure, gated))
        Exit Function
    #End If
failed:
    TCO_PARAMETERS = Err.Description
End Function

Function TCO_PERCENTILE(inputs, ranges, percentile, Optional correlations, Optional overrides, Optional output, Optional samples, Optional seed)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_PERCENTILE = XLPy.CallUDF("tco_udfs", "TCO_PERCENTILE", Array(inputs, ranges, percentile, correlations, overrides, output, samples, seed), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_PERCENTILE = XLPy.CallUDF("tco_udfs", "TCO_PERCENTILE", Array(inputs, ranges, percentile, correlations, overrides, output, samples, seed))
        Exit Function
    #End If
failed:
    TCO_PERCENTILE = Err.Description
End Function

Function TCO_POWER_COST(accelerators, hours, watts, pue, usd_per_kwh, Optional power_draw_share)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_POWER_COST = XLPy.CallUDF("tco_udfs", "TCO_POWER_COST", Array(accelerators, hours, watts, pue, usd_per_kwh, power_draw_share), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_POWER_COST = XLPy.CallUDF("tco_udfs", "TCO_POWER_COST", Array(accelerators, hours, watts, pue, usd_per_kwh, power_draw_share))
        Exit Function
    #End If
failed:
    TCO_POWER_COST = Err.Description
End Function

Function TCO_REGION(region, field)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_REGION = XLPy.CallUDF("tco_udfs", "TCO_REGION", Array(region, field), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_REGION = XLPy.CallUDF("tco_udfs", "TCO_REGION", Array(region, field))
        Exit Function
    #End If
failed:
    TCO_REGION = Err.Description
End Function

Function TCO_RENTAL_COST(accelerators, hours, usd_per_accelerator_hour, Optional reservation_discount)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_RENTAL_COST = XLPy.CallUDF("tco_udfs", "TCO_RENTAL_COST", Array(accelerators, hours, usd_per_accelerator_hour, reservation_discount), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_RENTAL_COST = XLPy.CallUDF("tco_udfs", "TCO_RENTAL_COST", Array(accelerators, hours, usd_per_accelerator_hour, reservation_discount))
        Exit Function
    #End If
failed:
    TCO_RENTAL_COST = Err.Description
End Function

Function TCO_RUN(run, field)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_RUN = XLPy.CallUDF("tco_udfs", "TCO_RUN", Array(run, field), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_RUN = XLPy.CallUDF("tco_udfs", "TCO_RUN", Array(run, field))
        Exit Function
    #End If
failed:
    TCO_RUN = Err.Description
End Function

Function TCO_SENSITIVITY(inputs, Optional fields, Optional overrides, Optional swing, Optional ranges)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_SENSITIVITY = XLPy.CallUDF("tco_udfs", "TCO_SENSITIVITY", Array(inputs, fields, overrides, swing, ranges), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_SENSITIVITY = XLPy.CallUDF("tco_udfs", "TCO_SENSITIVITY", Array(inputs, fields, overrides, swing, ranges))
        Exit Function
    #End If
failed:
    TCO_SENSITIVITY = Err.Description
End Function

Function TCO_SOLVE(inputs, field, total_usd, Optional overrides)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_SOLVE = XLPy.CallUDF("tco_udfs", "TCO_SOLVE", Array(inputs, field, total_usd, overrides), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_SOLVE = XLPy.CallUDF("tco_udfs", "TCO_SOLVE", Array(inputs, field, total_usd, overrides))
        Exit Function
    #End If
failed:
    TCO_SOLVE = Err.Description
End Function

Function TCO_SPEC(accelerator, field)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_SPEC = XLPy.CallUDF("tco_udfs", "TCO_SPEC", Array(accelerator, field), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_SPEC = XLPy.CallUDF("tco_udfs", "TCO_SPEC", Array(accelerator, field))
        Exit Function
    #End If
failed:
    TCO_SPEC = Err.Description
End Function

Function TCO_STEP_TIME(inputs, Optional overrides, Optional part)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_STEP_TIME = XLPy.CallUDF("tco_udfs", "TCO_STEP_TIME", Array(inputs, overrides, part), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_STEP_TIME = XLPy.CallUDF("tco_udfs", "TCO_STEP_TIME", Array(inputs, overrides, part))
        Exit Function
    #End If
failed:
    TCO_STEP_TIME = Err.Description
End Function

Function TCO_STORAGE_COST(tokens, parameters_total, storage_usd_per_tb, Optional epochs, Optional token_bytes, Optional checkpoints_kept)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_STORAGE_COST = XLPy.CallUDF("tco_udfs", "TCO_STORAGE_COST", Array(tokens, parameters_total, storage_usd_per_tb, epochs, token_bytes, checkpoints_kept), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_STORAGE_COST = XLPy.CallUDF("tco_udfs", "TCO_STORAGE_COST", Array(tokens, parameters_total, storage_usd_per_tb, epochs, token_bytes, checkpoints_kept))
        Exit Function
    #End If
failed:
    TCO_STORAGE_COST = Err.Description
End Function

Function TCO_TOKENS_FOR_BUDGET(inputs, total_usd, Optional overrides)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_TOKENS_FOR_BUDGET = XLPy.CallUDF("tco_udfs", "TCO_TOKENS_FOR_BUDGET", Array(inputs, total_usd, overrides), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_TOKENS_FOR_BUDGET = XLPy.CallUDF("tco_udfs", "TCO_TOKENS_FOR_BUDGET", Array(inputs, total_usd, overrides))
        Exit Function
    #End If
failed:
    TCO_TOKENS_FOR_BUDGET = Err.Description
End Function

Function TCO_TOTAL(inputs, Optional overrides, Optional component)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_TOTAL = XLPy.CallUDF("tco_udfs", "TCO_TOTAL", Array(inputs, overrides, component), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_TOTAL = XLPy.CallUDF("tco_udfs", "TCO_TOTAL", Array(inputs, overrides, component))
        Exit Function
    #End If
failed:
    TCO_TOTAL = Err.Description
End Function

Function TCO_VERSION()
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_VERSION = XLPy.CallUDF("tco_udfs", "TCO_VERSION", Array(), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_VERSION = XLPy.CallUDF("tco_udfs", "TCO_VERSION", Array())
        Exit Function
    #End If
failed:
    TCO_VERSION = Err.Description
End Function

Function TCO_WALLTIME(flops, accelerators, peak_tflops, mfu, Optional communication_share, Optional waste_share)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_WALLTIME = XLPy.CallUDF("tco_udfs", "TCO_WALLTIME", Array(flops, accelerators, peak_tflops, mfu, communication_share, waste_share), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_WALLTIME = XLPy.CallUDF("tco_udfs", "TCO_WALLTIME", Array(flops, accelerators, peak_tflops, mfu, communication_share, waste_share))
        Exit Function
    #End If
failed:
    TCO_WALLTIME = Err.Description
End Function

Function TCO_WASTE(write_hours, mtbf_hours, Optional restart_hours, Optional straggler_share, Optional interval_hours)
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        TCO_WASTE = XLPy.CallUDF("tco_udfs", "TCO_WASTE", Array(write_hours, mtbf_hours, restart_hours, straggler_share, interval_hours), ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        TCO_WASTE = XLPy.CallUDF("tco_udfs", "TCO_WASTE", Array(write_hours, mtbf_hours, restart_hours, straggler_share, interval_hours))
        Exit Function
    #End If
failed:
    TCO_WASTE = Err.Description
End Function

'Run once (Alt+F8), then save the workbook: Excel keeps the descriptions in it.
Public Sub RegisterTrainingTCO()
    DescribeFunction "TCO_ACCELERATORS_FOR_DEADLINE", _
        "Fewest accelerators that finish a run in so many hours on the clock, if MFU and waste stay the same on more of them.", Array( _
        "Model FLOPs, as TCO_FLOPS gives them. (FLOP)", _
        "Hours on the clock until the run must be done. (hours)", _
        "Dense peak of one accelerator at the training precision, or a catalogue key like h100-sxm, read at bf16. (TFLOP/s)", _
        "Model FLOPs over what the peak would do in the same time. (share of peak)", _
        "Lost to failures, restarts, stragglers. (share of wall time)", _
        "Only for an efficiency of compute alone: a published MFU contains communication. (share of step time)")
    DescribeFunction "TCO_ALLREDUCE_BYTES", _
        "Bytes that each rank sends in a ring all-reduce: 2*(R-1)/R of the message.", Array( _
        "Accelerators of the ring. (accelerators)", _
        "What each rank holds and all add up: gradients of so many bytes. (bytes)")
    DescribeFunction "TCO_ALLREDUCE_TIME", _
        "Seconds of a ring all-reduce, at worst what oversubscription leaves of the bandwidth.", Array( _
        "Accelerators of the ring. (accelerators)", _
        "What each rank holds and all add up: gradients of so many bytes. (bytes)", _
        "Bandwidth of one rank in one direction, of the ring's slowest link. (GB/s)", _
        "From one rank to the next. (s)", _
        "Bandwidth of a leaf switch's endpoints over that of its uplinks; 1 does not block. (multiple)")
    DescribeFunction "TCO_AMORTIZATION", _
        "Straight-line depreciation of an asset that a number of hours is charged. What lasts longer than its life is bought again at the same price.", Array( _
        "Purchase price. (USD)", _
        "Hours that the run occupies it. (hours)", _
        "Years over which the hardware is written off. (years)", _
        "Share of the hardware's price recovered at the end of its life. (share of price)", _
        "Share of a year's hours in useful work; 1 if omitted. (share of the year)")
    DescribeFunction "TCO_BREAKDOWN", _
        "Components of the total, a row each: name and USD. They add up to TCO_TOTAL.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)")
    DescribeFunction "TCO_BREAKEVEN", _
        "Where rent or own turns: the utilization from which owning is cheaper, the months until a purchase has paid off, or the rent below which renting is; what either costs for an accelerator; or the answer.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "utilization (above 1: never), months, rent; own, the cost of an hour: own_fixed a year over its hours of use, and own_running an hour; rent_paid, less discount; answer; or sentence. (name)")
    DescribeFunction "TCO_BUBBLE", _
        "Share of the time that a stage of a pipeline waits: (p-1)/(v*m + p-1).", Array( _
        "Stages into which the layers are split. (stages)", _
        "Micro-batches of a step in one pipeline. (micro-batches)", _
        "Parts of a stage in an interleaved schedule; 1 is the plain one. (chunks)")
    DescribeFunction "TCO_CASES", _
        "Total of each case of a scenario, a row each: base, low, high and own, whichever is in force. An empty figure of a case is as in the base.", Array( _
        "Range of six columns, as on the sheet Inputs: field, value (passed over), base, low, high and own. (fields and cases)")
    DescribeFunction "TCO_CHECKPOINT_INTERVAL", _
        "Hours of work between checkpoints that waste least.", Array( _
        "Hours that training stands still for a checkpoint. (hours)", _
        "Hours between failures of the cluster, as TCO_MTBF gives them. (hours)", _
        "Least waste to first order (young) or to a higher one (daly). (young | daly)")
    DescribeFunction "TCO_CLAIMS", _
        "Key figures and common claims about training cost put to the run, a row each: claim, low and high end of its range, what the model gives, and inside, outside, no range or does not apply. What there is not is empty.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)")
    DescribeFunction "TCO_COMPARE", _
        "The run on every accelerator of the catalogue, best first, a row each: key, total USD, USD per effective TFLOP-hour, and whether that rests on estimates. Last come those that cannot be costed, with the reason.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "What ranks them: usd_per_effective_tflop_hour, the default, or total_usd. (name)")
    DescribeFunction "TCO_DEPRECIATION", _
        "Depreciation of an asset that a number of hours is charged, by any method; by annuity with the interest. The exponential method is a price index: life and residual value do not count there.", Array( _
        "Purchase price. (USD)", _
        "Hours that the run occupies it. (hours)", _
        "Years over which the hardware is written off. (years)", _
        "straight-line, annuity, declining-balance, sum-of-years or exponential. (method)", _
        "Age when the hours begin, for the last three methods. (years)", _
        "Share of the hardware's price recovered at the end of its life. (share of price)", _
        "Share of a year's hours in useful work; 1 if omitted. (share of the year)", _
        "Cost of capital a year, for the annuity; the catalogue's if omitted. (a year)")
    DescribeFunction "TCO_FLOPS", _
        "Floating-point operations of a training run: 6*N*D, with the attention term if layers, hidden size and sequence length are given, all three.", Array( _
        "Parameters that a token passes through; the active ones for a mixture of experts. (parameters)", _
        "Tokens processed, all epochs counted. (tokens)", _
        "Leave it out for the model FLOPs that go with MFU; hardware FLOPs go with HFU. 0.03 selective, 1/3 full recomputation. (share of model FLOPs)", _
        "Transformer layers, for the attention term; with hidden_size and sequence_length. (layers)", _
        "Width of the model (heads x head size), for the attention term. (elements)", _
        "Tokens in a training sequence, for the attention term. (tokens)")
    DescribeFunction "TCO_HFU", _
        "Hardware FLOPs utilization that measured hours amount to: as TCO_MFU, with the recomputation of activations counted.", Array( _
        "Model FLOPs, as TCO_FLOPS gives them. (FLOP)", _
        "Accelerators that train at the same time. (accelerators)", _
        "Dense peak of one accelerator at the training precision, or a catalogue key like h100-sxm, read at bf16. (TFLOP/s)", _
        "Hours that the FLOPs took, as measured: of a step, or of the whole run. (hours)", _
        "Extra hardware FLOPs by activation recomputation: 0 none, 0.03 selective, 1/3 full. (share of model FLOPs)")
    DescribeFunction "TCO_HISTOGRAM", _
        "How the total, or another output, is distributed when fields are uncertain, a row each bar: from, to, and the share of samples. The outermost bars hold what lies beyond too; an output that nothing moves has one bar.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Columns: field, low (or P10), mode (or mean), high (or P90, or sd), and the distribution: triangular if empty, pert, uniform, normal or lognormal. (fields and their ranges)", _
        "Range of three columns: two fields that have ranges, and the correlation of their ranks, above -1 and below 1. Fields are independent if omitted. (pairs of fields)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "total_usd, the default; a component, as power_usd; a metric, as wall_hours. (name)", _
        "How many bars; 30 if omitted. (bars)", _
        "How many draws; 10,000 if omitted. (samples)", _
        "The same seed gives the same numbers; 0 if omitted. (whole number)")
    DescribeFunction "TCO_HOT_SPARES", _
        "Fewest spares that cover all units under repair for a share of the time.", Array( _
        "Units in service, of what is swapped as a whole: servers. (units)", _
        "Hours between failures of one unit: of a server of 8, an 8th of an accelerator's. (hours)", _
        "From a failure until the unit is back among the spares. (hours)", _
        "Share of the time in which no unit may be missing; 0.99 if omitted. (share of time)")
    DescribeFunction "TCO_LEVERS", _
        "What each lever on the cost changes, a row each: lever, USD alone, that as a share of the total, USD when pulled after those above it, and the total then left. Savings are below 0; a lever of no use to the run changes 0.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)")
    DescribeFunction "TCO_LOSS", _
        "Loss that a fitted scaling law gives a dense model after one pass over its tokens. Losses of two fits are not comparable.", Array( _
        "Parameters that a token passes through; the active ones for a mixture of experts. (parameters)", _
        "Tokens processed, all epochs counted. (tokens)", _
        "Fit of the loss: besiroglu-2024, the default, or hoffmann-2022. (name)")
    DescribeFunction "TCO_MEMORY", _
        "Memory that training a dense model takes of an accelerator: weights, gradients, Adam's states in mixed precision (16 bytes a parameter), and activations.", Array( _
        "All parameters of the model, idle experts included. (parameters)", _
        "Transformer layers. (layers)", _
        "Width of the model. (elements)", _
        "Query heads, for the memory of activations. (heads)", _
        "Tokens in a training sequence. (tokens)", _
        "Sequences that an accelerator works on at a time. (sequences)", _
        "Accelerators that share each layer. (accelerators)", _
        "Stages into which the layers are split. (stages)", _
        "Copies of the model, over which ZeRO shards. (replicas)", _
        "What data parallelism shards: 1 optimizer states, 2 gradients too, 3 weights too. (stage)", _
        "What is computed again in the backward pass: nothing, attention's scores, or all. (none | selective | full)")
    DescribeFunction "TCO_METRIC", _
        "A figure beside the total: wall_hours, energy_gwh, usd_per_million_tokens and others.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "total_usd, flops, wall_hours, energy_gwh ... (name)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)")
    DescribeFunction "TCO_MFU", _
        "Model FLOPs utilization that measured hours amount to: model FLOPs over what the dense peak would do in them.", Array( _
        "Model FLOPs, as TCO_FLOPS gives them. (FLOP)", _
        "Accelerators that train at the same time. (accelerators)", _
        "Dense peak of one accelerator at the training precision, or a catalogue key like h100-sxm, read at bf16. (TFLOP/s)", _
        "Hours that the FLOPs took, as measured: of a step, or of the whole run. (hours)")
    DescribeFunction "TCO_MIN_ACCELERATORS", _
        "Fewest accelerators whose memory a dense model fits in for training, however it is split; where none do, an error that says how many GB are missing.", Array( _
        "All parameters of the model, idle experts included. (parameters)", _
        "Transformer layers. (layers)", _
        "Width of the model. (elements)", _
        "Query heads, for the memory of activations. (heads)", _
        "Tokens in a training sequence. (tokens)", _
        "Memory of one accelerator, or a catalogue key like h100-sxm. (GB)", _
        "Sequences that an accelerator works on at a time. (sequences)", _
        "What data parallelism shards: 1 optimizer states, 2 gradients too, 3 weights too. (stage)", _
        "What is computed again in the backward pass: nothing, attention's scores, or all. (none | selective | full)", _
        "Largest tensor parallel degree to try: the accelerators of a server, 8. (accelerators)")
    DescribeFunction "TCO_MTBF", _
        "Hours between failures of a cluster: those of one accelerator over their number.", Array( _
        "Accelerators that train at the same time. (accelerators)", _
        "Hours between failures of one accelerator, with its share of host and network: 50,677 in the training of Llama 3 405B. (hours)")
    DescribeFunction "TCO_NETWORK_COST", _
        "Purchase price of the network between accelerators: switches, transceivers, cables, adapters.", Array( _
        "Accelerators that train at the same time. (accelerators)", _
        "fat-tree, the default, or dragonfly; rails and oversubscription are a fat tree's. (fat-tree | dragonfly)", _
        "Ports of a switch, at an accelerator's speed. (ports)", _
        "Leaf switches apart by an accelerator's place in its server; 1 is none. (rails)", _
        "Bandwidth of a leaf switch's endpoints over that of its uplinks; 1 does not block. (multiple)", _
        "Switch without its optics. The catalogue's if omitted. (USD)", _
        "Optical transceiver, for one port. The catalogue's if omitted. (USD)", _
        "Fibre, or copper with its plugs. The catalogue's if omitted. (USD)", _
        "Ports that an accelerator has into the network. (ports)", _
        "For one port; 0 where the price of the host contains it. (USD)")
    DescribeFunction "TCO_NETWORK_SWITCHES", _
        "Switches of the network between accelerators, of all tiers; too many accelerators for the topology are an error.", Array( _
        "Accelerators that train at the same time. (accelerators)", _
        "fat-tree, the default, or dragonfly; rails and oversubscription are a fat tree's. (fat-tree | dragonfly)", _
        "Ports of a switch, at an accelerator's speed. (ports)", _
        "Leaf switches apart by an accelerator's place in its server; 1 is none. (rails)", _
        "Bandwidth of a leaf switch's endpoints over that of its uplinks; 1 does not block. (multiple)", _
        "Ports that an accelerator has into the network. (ports)")
    DescribeFunction "TCO_OPTIMAL_PARAMETERS", _
        "Parameters that give the lowest loss for a budget of 6*N*D FLOPs (Chinchilla).", Array( _
        "Model FLOPs to spend on one run, attention left out. (FLOP)", _
        "Fit of the loss: besiroglu-2024, the default, or hoffmann-2022. (name)")
    DescribeFunction "TCO_OPTIMAL_TOKENS", _
        "Tokens that go with TCO_OPTIMAL_PARAMETERS.", Array( _
        "Model FLOPs to spend on one run, attention left out. (FLOP)", _
        "Fit of the loss: besiroglu-2024, the default, or hoffmann-2022. (name)")
    DescribeFunction "TCO_PARAMETERS", _
        "Parameters of a decoder transformer, counted exactly from its architecture.", Array( _
        "Transformer layers. (layers)", _
        "Width of the residual stream. (elements)", _
        "Query heads. (heads)", _
        "Width of the feed-forward inside; of an expert, if expert_size is left out. (elements)", _
        "Rows of the embedding, padding included. (tokens)", _
        "Key and value heads of grouped-query attention; 0 or omitted: as many as heads. (heads)", _
        "Width of a head; 0 or omitted: hidden_size over heads. (elements)", _
        "1 where the logit layer is the embedding itself. (0 or 1)", _
        "Routed experts of a layer; 0: dense. (experts)", _
        "Routed experts that a token is sent to; 0 or omitted: all. (experts)", _
        "Experts of a layer that every token passes through. (experts)", _
        "Width of an expert inside; 0 or omitted: feed_forward_size. (elements)", _
        "How many of the layers have no experts. (layers)", _
        "Learned position embeddings: the longest sequence; 0: none, as with RoPE. (tokens)", _
        "1 where matrices and norms have biases, as in GPT-2 and GPT-3. (0 or 1)", _
        "total; active, those a token passes through; multiplied, of those the weights that FLOPs come from. (name)", _
        "1, the default, for a feed-forward of three matrices (SwiGLU); 0 for two. (0 or 1)")
    DescribeFunction "TCO_PERCENTILE", _
        "Percentile of the total, or of another output, when fields are uncertain: by simulation of a distribution of each.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Columns: field, low (or P10), mode (or mean), high (or P90, or sd), and the distribution: triangular if empty, pert, uniform, normal or lognormal. (fields and their ranges)", _
        "From 0 to 100, like 10, 50 or 90; five samples must lie beyond it. (%)", _
        "Range of three columns: two fields that have ranges, and the correlation of their ranks, above -1 and below 1. Fields are independent if omitted. (pairs of fields)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "total_usd, the default; a component, as power_usd; a metric, as wall_hours. (name)", _
        "How many draws; 10,000 if omitted. (samples)", _
        "The same seed gives the same numbers; 0 if omitted. (whole number)")
    DescribeFunction "TCO_POWER_COST", _
        "Electricity bill of a cluster, cooling and power distribution included; a demand charge is not in it.", Array( _
        "Accelerators that train at the same time. (accelerators)", _
        "Hours that the cluster runs. (hours)", _
        "Watts of IT load an accelerator, its share of the host included. (W)", _
        "Facility energy over IT energy: never below 1. (facility / IT)", _
        "All-in price of electricity. (USD/kWh)", _
        "Share of all of watts drawn on average, the host's too; 1 if omitted. (share of TDP)")
    DescribeFunction "TCO_REGION", _
        "A figure of a region: electricity_usd_per_kwh, carbon_kg_per_kwh, pue.", Array( _
        "Region of the catalogue, like us. (key)", _
        "Figure wanted: electricity_usd_per_kwh, pue ... (name)")
    DescribeFunction "TCO_RENTAL_COST", _
        "Rent of a cluster by the hour.", Array( _
        "Accelerators that train at the same time. (accelerators)", _
        "Hours that the cluster runs. (hours)", _
        "Price of one accelerator for an hour; host, network, facility and power included. (USD/hour)", _
        "Discount on the hourly price for a commitment. (share of rent)")
    DescribeFunction "TCO_RUN", _
        "A figure of a published training run: parameters, tokens, accelerators, reported_mfu, accelerator_hours and others.", Array( _
        "Published run, like llama-3.1-405b. (key)", _
        "Figure wanted: tokens, reported_mfu ... (name)")
    DescribeFunction "TCO_SENSITIVITY", _
        "The total with one field at a time at its low and at its high end, a row each: field, both totals, both ends, the widest apart first. Ends are the catalogue's where it has them, else a swing to either side.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Fields to move; if omitted, all that make a difference. (names)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "How far to move a field to either side, as a share of it; 0.1 if omitted. (share)", _
        "Columns as for TCO_PERCENTILE: their 10th and 90th percentile are the ends. If fields are omitted, only these are moved. (fields and their ranges)")
    DescribeFunction "TCO_SOLVE", _
        "What a field would have to be for the run to cost so much in total, all else the same.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "A field of a number: mfu, pue, accelerators ... (name)", _
        "What the run is to cost in total. (USD)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)")
    DescribeFunction "TCO_SPEC", _
        "A figure of the accelerator catalogue, such as peak_tflops_bf16 or tdp_watts.", Array( _
        "Key of the catalogue, like h100-sxm. (key)", _
        "Figure wanted: label, peak_tflops_bf16, tdp_watts, accelerator_price_usd ... (name)")
    DescribeFunction "TCO_STEP_TIME", _
        "Seconds of a training step, or of a part of it, of a scenario with kernel_efficiency.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "total, compute, communication, bubble or storage. (name)")
    DescribeFunction "TCO_STORAGE_COST", _
        "Purchase price of storage for the dataset and for checkpoints of 14 bytes a parameter.", Array( _
        "Tokens processed, all epochs counted. (tokens)", _
        "All parameters, idle experts included. (parameters)", _
        "Price per TB that is usable. (USD/TB)", _
        "How often each token is seen: the dataset is tokens over epochs. (passes)", _
        "Bytes that storage holds of a token; 4 if omitted. (bytes)", _
        "Full checkpoints that storage holds at the same time. (checkpoints)")
    DescribeFunction "TCO_TOKENS_FOR_BUDGET", _
        "Tokens that the model of the scenario can be trained on for so much in total.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "What the run is to cost in total. (USD)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)")
    DescribeFunction "TCO_TOTAL", _
        "Total cost of ownership of a training run described by a range of fields and values, or one component of it.", Array( _
        "Range of two columns: names of fields (mfu, pue ...) and values. Empty values take the default. (fields and values)", _
        "Range of two columns like inputs: figures that replace those, for a what-if. (fields and values)", _
        "accelerators, hosts, network, storage, facility, power, cooling, carbon, rental, staff, software, waste, or total. (name)")
    DescribeFunction "TCO_VERSION", _
        "Version of xl-tco that calculates.", Array()
    DescribeFunction "TCO_WALLTIME", _
        "Hours that a training run takes on a cluster; with a waste share, those on the clock.", Array( _
        "Model FLOPs, as TCO_FLOPS gives them. (FLOP)", _
        "Accelerators that train at the same time. (accelerators)", _
        "Dense peak of one accelerator at the training precision, or a catalogue key like h100-sxm, read at bf16. (TFLOP/s)", _
        "Model FLOPs over what the peak would do in the same time. (share of peak)", _
        "Only for an efficiency of compute alone: a published MFU contains communication. (share of step time)", _
        "Lost to failures, restarts, stragglers. (share of wall time)")
    DescribeFunction "TCO_WASTE", _
        "Share of a cluster's time that checkpoints, failures, restarts and stragglers take.", Array( _
        "Hours that training stands still for a checkpoint. (hours)", _
        "Hours between failures of the cluster, as TCO_MTBF gives them. (hours)", _
        "From a failure until training goes on from the checkpoint. (hours)", _
        "Time lost to waiting for the slowest. (share of wall time)", _
        "Hours of work between checkpoints; 0 or omitted: those that waste least. (hours)")
End Sub

Private Sub DescribeFunction(ByVal functionName, ByVal summary, ByVal argumentHelp)
    Dim macroName As String
    macroName = "'" & Replace(ThisWorkbook.Name, "'", "''") & "'!" & functionName
    If UBound(argumentHelp) < 0 Then
        Application.MacroOptions Macro:=macroName, Description:=summary, Category:="Training TCO"
    Else
        Application.MacroOptions Macro:=macroName, Description:=summary, Category:="Training TCO", _
            ArgumentDescriptions:=argumentHelp
    End If
End Sub
