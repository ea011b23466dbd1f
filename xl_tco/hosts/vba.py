"""The VBA by which Excel for Windows calls the functions, as one module to import (.bas).

Its functions are those that xlwings' *Import Functions* writes, and it bears the same name, so the
one replaces the other. With them stands a macro that gives the function wizard its descriptions,
which xlwings sends to Excel directly. See https://docs.xlwings.org/en/stable/udfs.html.

VBA reads a module in the code page of its Windows: so it is ASCII here. A line of it has at most
1,023 characters, a statement 25 lines, and Excel takes no description above 255 characters.
"""

from __future__ import annotations

from collections.abc import Iterator

from xl_tco.functions import FUNCTIONS, Function
from xl_tco.functions.function import HELP_LIMIT
from xl_tco.functions.shell import CATEGORY

__all__ = ["MODULE", "REGISTER", "UDF_MODULE", "vba_module"]

UDF_MODULE = "tco_udfs"
"""The Python module that Excel calls: what *UDF Modules* names."""

MODULE = "xlwings_udfs"
"""Name of the VBA module."""

REGISTER = "RegisterTrainingTCO"
"""The macro that describes the functions to Excel's function wizard."""

_ASCII = str.maketrans(
    {"×": "x", "·": "*", "−": "-", "–": "-", "…": "...", "α": "alpha", "β": "beta"}
)

_HEAD = f'''\
Attribute VB_Name = "{MODULE}"
'Made by xl-tco: the functions as Import Functions of xlwings writes them, and {REGISTER}
#Const App = "Microsoft Excel" 'Adjust when using outside of Excel
'''

_WRAPPER = """\
Function {name}({parameters})
    #If App = "Microsoft Excel" Then
        If TypeOf Application.Caller Is Range Then On Error GoTo failed
        {name} = XLPy.CallUDF("{module}", "{name}", {array}, ThisWorkbook, Application.Caller)
        Exit Function
    #Else
        {name} = XLPy.CallUDF("{module}", "{name}", {array})
        Exit Function
    #End If
failed:
    {name} = Err.Description
End Function

"""

_DESCRIBE = f"""\
Private Sub DescribeFunction(ByVal functionName, ByVal summary, ByVal argumentHelp)
    Dim macroName As String
    macroName = "'" & Replace(ThisWorkbook.Name, "'", "''") & "'!" & functionName
    If UBound(argumentHelp) < 0 Then
        Application.MacroOptions Macro:=macroName, Description:=summary, Category:="{CATEGORY}"
    Else
        Application.MacroOptions Macro:=macroName, Description:=summary, Category:="{CATEGORY}", _
            ArgumentDescriptions:=argumentHelp
    End If
End Sub
"""


def vba_module() -> str:
    """Write the VBA module, with the line ends of Windows."""
    functions = [FUNCTIONS[name] for name in sorted(FUNCTIONS)]
    text = _HEAD + "".join(map(_wrapper, functions)) + "".join(_register(functions)) + _DESCRIBE
    return text.replace("\n", "\r\n")


def _wrapper(function: Function) -> str:
    """Write the function that hands its arguments over to Python."""
    arguments = function.arguments
    return _WRAPPER.format(
        name=function.name,
        module=UDF_MODULE,
        parameters=", ".join(f"Optional {a.name}" if a.is_optional else a.name for a in arguments),
        array=f"Array({', '.join(argument.name for argument in arguments)})",
    )


def _register(functions: list[Function]) -> Iterator[str]:
    """Write the macro that describes every function."""
    yield "'Run once (Alt+F8), then save the workbook: Excel keeps the descriptions in it.\n"
    yield f"Public Sub {REGISTER}()\n"
    for function in functions:
        helps = [_literal(f"{a.help} ({a.unit})") for a in function.arguments]
        lines = ", _\n        ".join(helps)
        listed = f"Array( _\n        {lines})" if helps else "Array()"
        yield f'    DescribeFunction "{function.name}", _\n'
        yield f"        {_literal(function.help)}, {listed}\n"
    yield "End Sub\n\n"


def _literal(text: str) -> str:
    """Write a text as VBA does, as long as Excel takes it."""
    plain = text.translate(_ASCII).encode("ascii", "replace").decode()
    return '"' + plain[:HELP_LIMIT].replace('"', '""') + '"'
