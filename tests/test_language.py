"""The workbook in Traditional Chinese: all of it, the same numbers, and rules that still hold."""

from __future__ import annotations

import io
import re
from functools import cache
from string import Formatter
from typing import Any

import openpyxl
import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

import texts
import xl_tco
from texts import BRIDGES, CODE, FILE, NAMES, SCENARIOS, asked
from xl_tco import InputError
from xl_tco.functions import FUNCTIONS
from xl_tco.language import (
    ENGLISH,
    LANGUAGES,
    SENTENCE,
    WORD,
    Language,
    Name,
    Phrase,
    language,
    lines_of,
    numbered,
)
from xl_tco.language.formulas import said
from xl_tco.workbook import check_package, scenario_in, workbook_bytes
from xl_tco.workbook.bridge import bridge_bytes

CHINESE = language(CODE)
ENTRIES = polib.pofile(str(FILE))
BOOKS = [
    ("owned", "functions"),
    ("rented", "native"),
    ("every part", "functions"),
    ("every part", "native"),
    ("cases and ranges", "functions"),
]


@cache
def package(name: str, form: Any, code: str) -> bytes:
    return workbook_bytes(SCENARIOS[name], form, code)


def values(data: bytes) -> dict[tuple[str, str], Any]:
    book = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


# The file of translations


def test_every_text_has_a_translation_and_every_translation_a_text() -> None:
    known = {(entry.msgctxt or "", entry.msgid) for entry in ENTRIES if entry.msgstr}
    assert set(asked()) - known == set()
    assert known - set(asked()) == set()
    assert not [entry.msgid for entry in ENTRIES if entry.obsolete or entry.fuzzy]


def placeholders(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("context", ["", SENTENCE])
def test_what_is_put_into_a_text_is_put_into_its_translation(context: str) -> None:
    for entry in ENTRIES:
        if (entry.msgctxt or "") == context:
            assert placeholders(entry.msgstr) == placeholders(entry.msgid), entry.msgid


def test_a_word_has_no_placeholder() -> None:
    words = [entry for entry in ENTRIES if entry.msgctxt == WORD]
    assert words
    assert not [entry.msgid for entry in words if "{" in entry.msgid + entry.msgstr]


SYMBOLS = re.compile(
    r"TFLOP/s|GB/s|GB|TB|MW|MWh|GWh|kW|kWh|kg|W|s|FLOP|FLOP/token|nats/token|USD|USD/TB|USD/kWh"
    r"|USD/token|/token|USD/t CO2e|kg CO2e/kWh|t CO2e|MFU|HFU|CapEx|OpEx|P\d+|\{a\}·N·D|\{gives\}"
)
"""What is the same in Chinese: symbols of units, and terms."""


def test_what_is_not_translated_is_a_symbol_a_product_or_a_name() -> None:
    labels = {f.value for (_, field), f in texts.entries().items() if field == "label"}
    for entry in ENTRIES:
        if entry.msgid == entry.msgstr:
            words = set(re.split(r" \| ", entry.msgid))
            is_known = entry.msgid in labels or words <= NAMES
            assert is_known or SYMBOLS.fullmatch(entry.msgid), entry.msgid


SIMPLIFIED = (
    "这们个国时会对说发经过进还没与为从来实现应该开关问间长门车东马鸟鱼贝见观规视讯话语读请认识让议论设计证"
    "记许评词试该详误调谈谁课谢输转轮软载辑边达运远违连迟选递适遗释里钟钢钱铁银错键锁镜队阶际陆险随隐难"
    "电风飞验驱齐龙单卖卫历压厂厅厉县参双变叠号启员响团园围图圆场坏块坚报处备复夹奖妇学宁宝审写宽宾导寻"
    "将尔尘尝层岁岛币师带帮广庄庆库庙异张弹强归当录彻径忆态怀总恒惊惯战户扩扫执抚护担拟择换据损摆数断无"
    "旧显晓术机权条极构标样树桥检楼欢毁气汇汉汤沟泽洁济浏测浓涌涛润涨渐温湾湿满滚滤灭灯灵炉点炼热爱状独"
    "猫环电畅疗监盖盘码确离种积称稳穷窃竞笔简类粮紧纠红约级纪纯纳线练组细织终绍绘给络绝统继绩续维综缓编"
    "缘缩网罗罚职联聪肤脑脚脱节芯范荐获营萨蓝虑虚补装袭触订训讲访评诉诊贡负财责败账货质购贵贷费资赋赏赔"
    "赚赛赞趋践踪轨较辅辆农迁迈逻邮针钻铜链销锐闭闲闻阅阳阴阵韩页顶项顺须顾预领频题颜额顿额馈驶驻骤鲜"
)


def test_no_letter_is_a_simplified_one() -> None:
    assert not {letter for entry in ENTRIES for letter in entry.msgstr} & set(SIMPLIFIED)


MAINLAND = (
    "程序 數據庫 網絡 服務器 默認 單元格 內存 帶寬 質量 軟件 硬件 信息 視頻 "
    "優化器 矢量 例項 引數量 顯存 激活 芯片"
)


def test_no_term_is_one_of_the_mainland() -> None:
    for entry in ENTRIES:
        assert not [term for term in MAINLAND.split() if term in entry.msgstr], entry.msgid


# The workbooks


@pytest.mark.parametrize(("name", "form"), BOOKS)
def test_numbers_are_those_of_the_english_book(name: str, form: str) -> None:
    english, chinese = (values(package(name, form, code)) for code in LANGUAGES)
    assert english.keys() == chinese.keys()
    for place, value in english.items():
        if isinstance(value, str):
            assert isinstance(chinese[place], str), place
        else:
            assert chinese[place] == value, place


@pytest.mark.parametrize(("name", "form"), [("rented", "native"), ("every part", "functions")])
def test_a_chinese_book_breaks_no_rule_and_its_master_check_holds(name: str, form: str) -> None:
    data = package(name, form, CODE)
    assert check_package(data) == []
    assert values(data)["Cover", "A3"] == "所有檢核皆成立"


GLOSSES = re.compile(r"[（(][^（()）]*[)）]")
CITATION = re.compile(r"[^。；;，（]*(arXiv|et al)[^。；;，）]*")
NAMED = re.compile(r"[\w.\-/]*[_\d][\w.\-/]*|\\\w+")  # with an underscore or a digit; TeX's
ARGUMENTS = {argument.name for one in FUNCTIONS.values() for argument in one.arguments}
TERMS = {"token", "epoch", "kernel", "fat", "tree"}
NOT_OURS = {
    "Catalogue": "ADEHG",  # entries, keys and fields; sources
    "Inputs": "COIU",  # fields; sources; figures of the catalogue; sources of the user
    "Runs": "HJK",  # lists of runs; sources and their addresses
    "Functions": "AD",  # functions and formulas
}
"""Columns of names, and of what others wrote."""


def english_in(text: str) -> list[str]:
    """Runs of two words or more, of which one at least is no name, no term and no product."""
    text = NAMED.sub("#", CITATION.sub("", GLOSSES.sub("", text)))
    runs = re.findall(r"[A-Za-z]+(?:[ ,;:]+[A-Za-z]+)+", text)
    known = NAMES | ARGUMENTS | TERMS
    return [
        run
        for run in runs
        if any(word.islower() and word not in known for word in re.split("[ ,;:]+", run))
    ]


@pytest.mark.parametrize(("name", "form"), BOOKS)
def test_no_english_is_left(name: str, form: str) -> None:
    left = {
        (sheet, place): run
        for (sheet, place), value in values(package(name, form, CODE)).items()
        if isinstance(value, str) and place.rstrip("0123456789") not in NOT_OURS.get(sheet, "")
        for run in english_in(value)
    }
    assert left == {}


def test_english_would_be_found() -> None:
    assert english_in("look at the sheet Checks")
    assert english_in("成本 of the whole run")
    assert english_in("Owning is cheaper at any use")
    assert not english_in("占 TCO 比例")
    assert not english_in("總時間 (wall time)")


@pytest.mark.parametrize("name", ["owned", "cases and ranges"])
def test_a_chinese_book_is_read_back_as_the_scenario_it_was_made_of(name: str) -> None:
    found = scenario_in(package(name, "functions", CODE))
    assert found.table == scenario_in(package(name, "functions", "en")).table
    assert found.case == SCENARIOS[name].case
    assert xl_tco.evaluate(found).total_usd == xl_tco.evaluate(SCENARIOS[name]).total_usd


@pytest.mark.parametrize("name", BRIDGES)
def test_a_bridge_is_the_same_in_chinese(name: str) -> None:
    found = xl_tco.bridge(*BRIDGES[name])
    english = values(bridge_bytes(found, "one", "two"))
    chinese = values(bridge_bytes(found, "one", "two", CHINESE))
    assert english.keys() == chinese.keys()
    for place, value in english.items():
        if isinstance(value, str):
            is_name = value in [scenario.name for scenario in BRIDGES[name]]
            assert is_name or english_in(chinese[place]) == []
        else:
            assert chinese[place] == value
    assert chinese["Bridge", "A3"] == "所有檢核皆成立"
    assert chinese["Bridge", "A5"] == "由 one"


def test_all_that_a_validation_says_is_chinese() -> None:
    book = openpyxl.load_workbook(io.BytesIO(package("every part", "functions", CODE)))
    messages = [
        message
        for sheet in book
        for validation in sheet.data_validations.dataValidation
        for message in (validation.prompt, validation.error)
        if message
    ]
    assert len(messages) > 200
    assert all(re.search(r"[\u4e00-\u9fff]", message) for message in messages)
    assert max(map(len, messages)) <= 255


# Texts


def test_a_text_is_said_in_its_language_with_what_is_put_in() -> None:
    assert CHINESE.text("Wall time in days") == "總時間（天）"
    made = Phrase("{line}: function and native", line="Wall time in days")
    assert CHINESE.text(made) == "總時間（天）：函數與原生公式"
    assert ENGLISH.text(made) == "Wall time in days: function and native"
    assert CHINESE.text("nobody has said this") == "nobody has said this"


def test_a_name_stays_though_it_is_a_word_elsewhere() -> None:
    assert CHINESE.text("layers") == "層"
    assert CHINESE.text(Name("layers")) == "layers"
    assert (
        CHINESE.text(Phrase("One of {fields} is given", fields=Name("layers"))) == "layers 擇一填寫"
    )


def test_numbers_are_put_into_a_text() -> None:
    assert (
        CHINESE.text(numbered("give a number from 0 and below 1")) == "請輸入 0 以上且小於 1 的數字"
    )
    assert ENGLISH.text(numbered("give one of: bf16, fp8")) == "give one of: bf16, fp8"


@given(st.text("ab1.,e 07{}", max_size=30).filter(lambda text: not set(text) & {"{", "}"}))
def test_a_text_with_numbers_put_in_is_the_text(text: str) -> None:
    assert ENGLISH.text(numbered(text)) == text


def test_another_language_is_refused() -> None:
    with pytest.raises(InputError, match="there is no 'zh-CN'"):
        language("zh-CN")


# Formulas

WORDS = {"yes": "是", "no": "否", 'a "b"': '甲"乙"'}
SENTENCES = {
    "{1}: {2} of {3}": "{3} 的 {2}是 {1}",
    "{1} of {2}": "{2}之{1}",
    'all "{1}" {{of}} it': '「{1}」 {{的}} "全部"',
}


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ('=IF(A1="yes",1,0)', '=IF(A1="是",1,0)'),
        ('yes&"no"', 'yes&"否"'),
        ('="a ""b"""', '="甲""乙"""'),
        ('=A5&": "&FIXED(C8,1)&" of "&$B$9', '=$B$9&" 的 "&FIXED(C8,1)&"是 "&A5'),
        (
            "=Calc!$C$4&\" of \"&'It''s, \"ok\" & so'!B1",
            "='It''s, \"ok\" & so'!B1&\"之\"&Calc!$C$4",
        ),
        ('=IF(A1>1,B2&" of "&C3,"yes")', '=IF(A1>1,C3&"之"&B2,"是")'),
        ('=(A1&" of "&B2)&"no"', '=(B2&"之"&A1)&"否"'),
        ('=A1&" of "&IF(B1="yes",C1&" of "&D1,"no")', '=IF(B1="是",D1&"之"&C1,"否")&"之"&A1'),
        ('=A1&" of "&B1="no"', '=B1&"之"&A1="否"'),
        ('="all """&A1&""" {of} it"', '="「"&A1&"」 {的} ""全部"""'),
        ('=accelerator&".label"', '=accelerator&".label"'),
        ('=A1&" "&B1', '=A1&" "&B1'),
        ('=A1&" off "&B1&"yes"', '=A1&" off "&B1&"是"'),
        ('=COUNTIF(A:A,"no")*("yes"=B1)', '=COUNTIF(A:A,"否")*("是"=B1)'),
        ('=MATCH(1,{"yes","no"},0)', '=MATCH(1,{"是","否"},0)'),
        ("=A1+B2", "=A1+B2"),
    ],
)
def test_a_formula_says_its_words_and_sentences(formula: str, expected: str) -> None:
    found = {(WORD, key): text for key, text in WORDS.items()}
    found |= {(SENTENCE, key): text for key, text in SENTENCES.items()}
    assert Language("xx", "Arial", found).formula(formula) == expected


def test_a_sentence_is_known_wherever_its_rows_stand() -> None:
    formulas = ['=C5&" tests: half within "&C6&" of what was published"']
    formulas.append(formulas[0].replace("C5", "Runs!$C$105").replace("C6", "FIXED(C106,1)"))
    said_there = [CHINESE.formula(formula) for formula in formulas]
    assert said_there[0] == '=C5&" 項檢驗：半數與公布值相差 "&C6&" 以內"'
    assert said_there[1] == said_there[0].replace("C5", "Runs!$C$105").replace(
        "C6", "FIXED(C106,1)"
    )


tokens = st.sampled_from(
    ["=", "&", "(", ")", ",", '"', '"a b"', '"c"', "A1", " ", "'", "'x y'!B2", "{", "}", "<>", '""']
)


@given(st.lists(tokens, max_size=20).map("".join))
def test_what_has_no_translation_is_left_to_the_letter(formula: str) -> None:
    assert said(formula, str, lambda _: "") == formula
    assert said(formula, str, str).count("A1") == formula.count("A1")


# How much room a text takes


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, 1),
        ("a" * 50, 50, 1),
        ("a" * 51, 50, 2),
        ("字" * 25, 50, 1),
        ("字" * 26, 50, 2),
        ("ab cd ef", 5, 2),
        ("ab cd ef", 2, 3),
        ("abcdefghij xy", 4, 4),
        ("字字 ab，cd", 8, 2),  # no line begins with a comma
    ],
)
def test_lines_are_counted_as_they_wrap(text: str, width: float, lines: int) -> None:
    assert lines_of(text, width) == lines
