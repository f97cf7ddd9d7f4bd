import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['concat("/", ["a", "b"])', '"a/b"'],
  ['concat(",", {"b", "a"})', '"a,b"'],
  ['concat(",", [])', '""'],
  ['concat(",", [1])', 'eval_type_error: concat: operand 2 must be array of strings but got array containing number'],
  ['contains("abc", "bc")', 'true'],
  ['endswith("abc", "bc")', 'true'],
  ['startswith("abc", "bc")', 'false'],
  ['split("a.b.", ".")', '["a", "b", ""]'],
  ['split("a😀b", "")', '["a", "😀", "b"]'],
  ['strings.split_n("a.b.c", ".", 2)', '["a", "b"]'],
  ['strings.split_n("a.b.c", ".", -1)', '["c"]'],
  ['trim("xxaxx", "x")', '"a"'],
  ['trim_left("😀a😀", "😀")', '"a😀"'],
  ['trim_right("😀a😀", "😀")', '"😀a"'],
  ['trim_prefix("foobar", "foo")', '"bar"'],
  ['trim_suffix("foobar", "bar")', '"foo"'],
  ['trim_space("\\u0085 \\u3000a\\ufeff\\n")', '"a\\ufeff"'],
  ['replace("aaa", "aa", "b")', '"ba"'],
  ['replace("$x", "x", "$&")', '"$$&"'],
  ['replace("a😀", "", "-")', '"-a-😀-"'],
  ['strings.replace_n({"<": "&lt;", ">": "&gt;"}, "<b>")', '"&lt;b&gt;"'],
  ['strings.replace_n({"a": "1", "ab": "2"}, "ab")', '"1b"'],
  ['strings.reverse("a😀b")', '"b😀a"'],
  ['strings.count("aaaa", "aa")', '2'],
  ['strings.count("a😀", "")', '3'],
  ['strings.any_prefix_match(["a", "b"], {"bc", "b"})', 'true'],
  ['strings.any_suffix_match("abc", ["x", "bc"])', 'true'],
  ['substring("a😀bc", 1, 2)', '"😀b"'],
  ['substring("abc", 1, -1)', '"bc"'],
  ['substring("abc", 9, 1)', '""'],
  ['substring("abc", -1, 1)', 'eval_builtin_error: substring: negative offset'],
  ['indexof("😀b", "b")', '1'],
  ['indexof("abc", "x")', '-1'],
  ['indexof_n("aaa", "aa")', '[0, 1]'],
  ['indexof("a", "")', 'eval_builtin_error: indexof: empty search character'],
  ['format_int(-5, 2)', '"-101"'],
  ['format_int(255.9, 16)', '"ff"'],
  ['format_int(18446744073709551617, 16)', '"10000000000000001"'],
  ['format_int(1, 3)', 'eval_type_error: format_int: operand 2 must be one of {2, 8, 10, 16}'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['lower("ÄΣΑΣ")', '"äσασ"'],
  ['upper("ß")', '"ß"'],
  ['upper("ŉ")', '"ŉ"'],
  ['lower("İ")', '"i"'],
  ['upper("ᾀ")', '"ᾈ"'],
  ['upper("ı")', '"I"'],
])('the number of letters stays the same: %s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})
