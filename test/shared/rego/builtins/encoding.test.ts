import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['base64.encode("hé?")', '"aMOpPw=="'],
  ['base64.decode("aMOp\\nPw==")', '"hé?"'],
  ['base64.decode("aMOpPw=")', 'eval_builtin_error: base64.decode: illegal base64 data at input byte 7'],
  ['base64.decode("aM*p")', 'eval_builtin_error: base64.decode: illegal base64 data at input byte 2'],
  ['base64.is_valid("a")', 'false'],
  ['base64url.encode("??>")', '"Pz8-"'],
  ['base64url.encode_no_pad("a")', '"YQ"'],
  ['base64url.decode("YQ")', '"a"'],
  ['base64url.decode("YQ==")', '"a"'],
  ['base64url.decode("Y")', 'eval_builtin_error: base64url.decode: illegal base64url string: Y'],
  ['hex.encode("é")', '"c3a9"'],
  ['hex.decode("C3a9")', '"é"'],
  ['hex.decode("fg")', "eval_builtin_error: hex.decode: encoding/hex: invalid byte: U+0067 'g'"],
  ['hex.decode("abc")', 'eval_builtin_error: hex.decode: encoding/hex: odd length hex string'],
  ['urlquery.encode("a b&é~(")', '"a+b%26%C3%A9~%28"'],
  ['urlquery.decode("a+b%26")', '"a b&"'],
  ['urlquery.decode("%zz")', 'eval_builtin_error: urlquery.decode: invalid URL escape "%zz"'],
  ['urlquery.encode_object({"b": {"2", "1"}, "a": "x y"})', '"a=x+y&b=1&b=2"'],
  [
    'urlquery.encode_object({"a": 1})',
    'eval_type_error: urlquery.encode_object: operand 1 values must be string, array[string], or set[string]',
  ],
  ['urlquery.decode_object("a=1&b&a=2")', '{"a": ["1", "2"], "b": [""]}'],
  [
    'json.marshal({"b": {2, 1}, "a": [1.50, null], 3: "<\\u2028>"})',
    JSON.stringify('{"3":"\\u003c\\u2028\\u003e","a":[1.50,null],"b":[1,2]}'),
  ],
  [
    'json.marshal_with_options({"a": [1, {}]}, {"indent": " ", "prefix": ">"})',
    JSON.stringify('>{\n> "a": [\n>  1,\n>  {}\n> ]\n>}'),
  ],
  ['json.marshal_with_options([1], {"indent": " ", "pretty": false})', '"[1]"'],
  [
    'json.marshal_with_options([], {"x": 1})',
    'eval_type_error: json.marshal_with_options: operand 2 object contained unknown key "x"',
  ],
  [
    'json.unmarshal(`{"a": [1e400, 12345678901234567890, "\\ud83d\\ude00"], "a ": -0.5}`)',
    '{"a": [1e400, 12345678901234567890, "😀"], "a ": -0.5}',
  ],
  ['json.unmarshal(`{"__proto__": 1}`)', '{"__proto__": 1}'],
  [
    'json.unmarshal("[1,]")',
    "eval_builtin_error: json.unmarshal: invalid character ']' looking for beginning of value",
  ],
  ['json.is_valid("{\\"a\\":01}")', 'false'],
  ['json.is_valid(1)', 'false'],
  [
    'yaml.unmarshal("a: &x {k: yes}\\nb: {<<: *x, z: 010}\\nc: 2020-01-01")',
    '{"a": {"k": true}, "b": {"k": true, "z": 8}, "c": "2020-01-01"}',
  ],
  ['yaml.is_valid("a: b: c")', 'false'],
  ['yaml.is_valid("a: !secret b")', 'false'],
  [
    'yaml.marshal({"b": [1, {"x": "true"}], "a": {"c": "- d"}, "e": []})',
    JSON.stringify('a:\n  c: \'- d\'\nb:\n- 1\n- x: "true"\ne: []\n'),
  ],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test('the position of a fault in YAML is reported', async () => {
  expect(await answer('yaml.unmarshal("a: 1\\nb: [1,2")')).toContain(
    'eval_builtin_error: yaml.unmarshal: error converting YAML to JSON: yaml: line 2: did not find',
  )
})

test.each([
  '{"a": [1, {"b": null}, [], "x: y"], "k": "line\\nbreak"}',
  '["", " ", "#", "null", "1e3", "a\\tb", "😀"]',
  '"0x1f"',
])('the YAML and JSON of %s are read back', async (value) => {
  expect(await answer(`yaml.unmarshal(yaml.marshal(${value}))`)).toBe(await answer(value))
  expect(await answer(`json.unmarshal(json.marshal(${value}))`)).toBe(await answer(value))
})
