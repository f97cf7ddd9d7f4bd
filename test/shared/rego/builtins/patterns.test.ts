import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['regex.match(`^\\pL+$`, "äß")', 'true'],
  ['regex.match(`b`, "abc")', 'true'],
  ['regex.match(`(?i)A\\z`, "ba")', 'true'],
  ['regex.match(`[`, "a")', 'eval_builtin_error: regex.match: error parsing regexp: missing closing ]: `[`'],
  ['regex.is_valid(`(?=a)`)', 'false'],
  ['regex.is_valid(`(a)\\1`)', 'false'],
  ['regex.is_valid(1)', 'false'],
  ['regex.split(`,+`, "a,,b,")', '["a", "b", ""]'],
  ['regex.split(`x*`, "axb")', '["a", "b"]'],
  ['regex.replace("john smith", `(?P<f>\\w+) (\\w+)`, "$2 ${f} $$")', '"smith john $"'],
  ['regex.replace("abc", `b`, "$1x$")', '"a$c"'],
  ['regex.replace("ab", `^a|b`, "<$0>")', '"<a><b>"'],
  ['regex.replace("😀b", `x*`, "-")', '"-😀-b-"'],
  ['regex.find_n(`a.`, "abacad", 2)', '["ab", "ac"]'],
  ['regex.find_n(`^a.`, "abacad", -1)', '["ab"]'],
  ['regex.find_all_string_submatch_n(`a(x)?b`, "axbab", -1)', '[["axb", "x"], ["ab", ""]]'],
  ['regex.template_match("urn:{[a-z]+}.{.*}", "urn:foo.bar", "{", "}")', 'true'],
  ['regex.template_match("urn:{[a-z]+}.{.*}", "urn:fooxbar", "{", "}")', 'false'],
  ['regex.template_match("{", "", "{", "}")', 'eval_builtin_error: regex.template_match: unbalanced braces in "{"'],
  ['regex.globs_match("a.a.[0-9]+z", ".b.b2359825792*594823z")', 'true'],
  ['regex.globs_match("[a-z]+", "[0-9]*")', 'false'],
  ['regex.globs_match("a*", "b*")', 'false'],
  ['regex.globs_match("a+b", "a*c*b")', 'true'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['api.*.com', '["."]', 'api.a.com', true],
  ['api.*.com', '["."]', 'api.a.b.com', false],
  ['api.**.com', '["."]', 'api.a.b.com', true],
  ['*', '[]', 'a.b', false],
  ['*', 'null', 'a.b', true],
  ['*:*', '[":"]', 'a.b:c', true],
  ['?at', '["c"]', 'cat', false],
  ['[a-c]at', '[]', 'bat', true],
  ['[!a-c]at', '[]', 'bat', false],
  ['[ab]', '[]', 'b', true],
  ['{cat,{b,h}at}', '[]', 'hat', true],
  ['{,a}b', '[]', 'b', true],
  ['\\\\*', '[]', '*', true],
  ['\\\\*', '[]', 'a', false],
])('glob.match("%s", %s, "%s") is %s', async (pattern, delimiters, text, wanted) => {
  expect(await answer(`glob.match("${pattern}", ${delimiters}, "${text}")`)).toBe(String(wanted))
})

test.each([
  ['glob.match("[b-a]", [], "a")', "eval_builtin_error: glob.match: hi character 'a' should be greater than lo 'b'"],
  [
    'glob.match("a", ["ab"], "a")',
    'eval_type_error: glob.match: operand 2 must be array of runes but got array containing string',
  ],
  ['glob.match("a", "b", "a")', 'eval_type_error: glob.match: operand 2 must be one of {array, null} but got string'],
  ['glob.match(glob.quote_meta("*{a}[b]?"), [], "*{a}[b]?")', 'true'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})
