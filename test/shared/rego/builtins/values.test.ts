import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['semver.compare("1.0.0-alpha.9", "1.0.0-alpha.10")', '-1'],
  ['semver.compare("1.0.0", "1.0.0-rc.1")', '1'],
  ['semver.compare("1.0.0-1", "1.0.0-a")', '-1'],
  ['semver.compare("v1.2.3+a", "1.2.3+b")', '0'],
  [
    'semver.compare("1.2", "1.2.3")',
    'eval_builtin_error: semver.compare: operand 1: string "1.2" is not a valid SemVer',
  ],
  ['semver.is_valid("1.2.3-")', 'true'],
  ['semver.is_valid("1.2.3-a_b")', 'false'],
  ['semver.is_valid(1)', 'false'],
  ['units.parse_bytes("1.1KiB")', '1126'],
  ['units.parse_bytes("\\"2e3Mb\\"")', '2000000000'],
  ['units.parse_bytes("1x")', 'eval_builtin_error: units.parse_bytes: byte unit x not recognized'],
  ['units.parse_bytes("kb")', 'eval_builtin_error: units.parse_bytes: no byte amount provided'],
  ['units.parse("1.5Ki")', '1536'],
  ['units.parse("100m")', '0.1000000000'],
  ['units.parse("1M")', '1000000'],
  ['units.parse("5E")', '5000000000000000000'],
  ['units.parse("1 k")', 'eval_builtin_error: units.parse: spaces not allowed in resource strings'],
  ['units.parse("1.2.3")', 'eval_builtin_error: units.parse: could not parse amount to a number'],
  ['uuid.parse("{00000000-0000-4000-8000-000000000000}")', '{"variant": "RFC4122", "version": 4}'],
  ['uuid.parse("6bea8ef2d3d33cd184e09bab06a52ece")', '{"variant": "RFC4122", "version": 3}'],
  [
    'uuid.parse("URN:UUID:000003E8-48B9-21EE-B200-325096B39F47")',
    '{"clocksequence": 12800, "domain": "Person", "id": 1000, "macvariables": "local:unicast", "nodeid": "32-50-96-b3-9f-47", "time": 1693566990121469600, "variant": "RFC4122", "version": 2}',
  ],
  ['uuid.parse("00000000-0000-4000-8000-00000000000")', 'undefined'],
  ['uuid.rfc4122("a") == uuid.rfc4122("a")', 'true'],
  ['uuid.rfc4122("a") == uuid.rfc4122("b")', 'false'],
  ['uuid.parse(uuid.rfc4122("a")).version', '4'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['crypto.md5("")', 'd41d8cd98f00b204e9800998ecf8427e'],
  ['crypto.sha1("abc")', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['crypto.sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['crypto.hmac.md5("what do ya want for nothing?", "Jefe")', '750c783e6ab0b503eaa86e310a5db738'],
  ['crypto.hmac.sha1("what do ya want for nothing?", "Jefe")', 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
  [
    'crypto.hmac.sha256("what do ya want for nothing?", "Jefe")',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    'crypto.hmac.sha512("what do ya want for nothing?", "Jefe")',
    '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  ],
])('%s is that of RFC 1321, FIPS 180-4, RFC 2202 or RFC 4231', async (expression, wanted) => {
  expect(await answer(expression)).toBe(`"${wanted}"`)
})

test.each([
  ['crypto.hmac.equal("abc", "abc")', 'true'],
  ['crypto.hmac.equal("abc", "abd")', 'false'],
  ['crypto.hmac.equal("abc", "abcd")', 'false'],
  ['graph.reachable({"a": ["b"], "b": {"c"}, "c": []}, {"a"})', '{"a", "b", "c"}'],
  ['graph.reachable({"a": ["x"]}, ["a"])', '{"a"}'],
  ['graph.reachable({}, "a")', 'eval_type_error: graph.reachable: operand 2 must be {array, set} but got string'],
  ['graph.reachable_paths({"a": ["b"], "b": ["c"], "c": ["a"]}, ["a"])', '{["a", "b", "c"]}'],
  ['graph.reachable_paths({"a": ["b", "x"], "b": []}, ["a"])', '{["a"], ["a", "b"]}'],
  ['graph.reachable_paths({"a": []}, ["x"])', 'set()'],
  ['[[p, v] | walk({"a": [1]}, [p, v])]', '[[[], {"a": [1]}], [["a"], [1]], [["a", 0], 1]]'],
  ['trace("seen")', 'true'],
  ['[p | walk({{1}}, [p, 1])]', '[[{1}, 1]]'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

const schema =
  '{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}, "tags": {"items": {"pattern": "^a"}}}, "additionalProperties": false}'

test.each([
  ['{"id": 1, "tags": ["ab"]}', []],
  ['{}', ['(root): id is required']],
  ['{"id": "x"}', ['id: Invalid type. Expected: integer, given: string']],
  ['{"id": 0}', ['id: Must be greater than or equal to 1']],
  ['{"id": 1, "tags": ["ab", "b"]}', ["tags.1: Does not match pattern '^a'"]],
  ['{"id": 1, "x": 1}', ['(root): Additional property x is not allowed']],
  ['[]', ['(root): Invalid type. Expected: object, given: array']],
])('under a schema, %s has the faults %s', async (document, faults) => {
  const call = `json.match_schema(${document}, ${schema})`
  expect(await answer(`[fault.error | fault := ${call}[1][_]]`)).toBe(
    `[${faults.map((fault) => JSON.stringify(fault)).join(', ')}]`,
  )
  expect(await answer(`${call}[0]`)).toBe(String(faults.length === 0))
})

test.each([
  ['{"allOf": [{"minimum": 2}], "not": {"const": 5}}', '5', 'number_not'],
  ['{"anyOf": [{"type": "string"}, {"maximum": 1}]}', '5', 'number_any_of'],
  ['{"oneOf": [{"type": "integer"}, {"minimum": 1}]}', '5', 'number_one_of'],
  ['{"if": {"minimum": 1}, "then": {"maximum": 2}}', '5', 'condition_then'],
  ['{"multipleOf": 0.1}', '0.35', 'multiple_of'],
  ['{"exclusiveMaximum": 5}', '5', 'number_lt'],
  ['{"enum": [1, 2]}', '5', 'enum'],
  ['{"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"type": "string"}}}', '5', 'invalid_type'],
])('a number in a list under items of %s', async (items, number, type) => {
  const whole = `{"items": ${items.includes('$ref') ? '{"$ref": "#/definitions/a~1b"}' : items}, "definitions": {"a/b": {"type": "string"}}}`
  expect(await answer(`json.match_schema([${number}], ${whole})[1][0].type`)).toBe(`"${type}"`)
})

test.each([
  ['{"type": "boolean"}', '[true, null]'],
  ['{"pattern": "("}', '[false, "jsonschema: error parsing regexp: missing closing ): `(`"]'],
  ['{"$ref": "https://example.com/schema"}', '[false, "jsonschema: references to other documents are not allowed"]'],
  ['"{"', '[false, "jsonschema: invalid JSON string"]'],
  ['1', '[false, "jsonschema: wrong type, expected string or object"]'],
])('json.verify_schema(%s) is %s', async (value, wanted) => {
  expect(await answer(`json.verify_schema(${value})`)).toBe(wanted)
})
