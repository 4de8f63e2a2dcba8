"""Lists of pages: items that a wrapped paragraph has swallowed, as "1. one. 2. two."."""
import re

ITEM = re.compile(r"( *)(?:(\d+)\.|[-*+]) +(.*)")


def items(text):
    """(line, number or None, text) of each list item of the page, without code blocks; an item ends at a blank line."""
    text = re.sub(r"^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    item = None
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        begin = ITEM.fullmatch(line)
        if item and (begin or not line.strip() or line.lstrip().startswith("|")):
            yield item
            item = None
        if begin:
            item = (number, int(begin[2]) if begin[2] else None, begin[3])
        elif item:
            item = (*item[:2], f"{item[2]} {line.strip()}")


def swallowed(text):
    """The items that stand within another one, as (line of that one, their first words)."""
    for line, number, words in items(text):
        if number is None:
            found = re.findall(r"(?<=[.:;)] )[-*+] [`*\[A-Z][^ ]*", words)
        else:
            found = [next_one for next_one in re.findall(r"(?<=[.:;)] )\d+\. [^ ]*", words) if number < int(next_one.split(".")[0]) <= number + 9]
        yield from ((line, one) for one in found)
