import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['object.get({"a": {"b": 1}}, ["a", "b"], 0)', '1'],
  ['object.get({"a": [10, 20]}, ["a", 1], 0)', '20'],
  ['object.get({"a": 1}, ["a", "b"], 0)', '0'],
  ['object.get({"a": 1}, [], 0)', '{"a": 1}'],
  ['object.get({1: "x"}, "1", 0)', '0'],
  ['object.keys({"b": 1, "a": 2})', '{"a", "b"}'],
  ['object.filter({"a": 1, "b": 2}, {"a": 0})', '{"a": 1}'],
  ['object.remove({"a": 1, "b": 2}, ["a"])', '{"b": 2}'],
  [
    'object.remove({"a": 1}, "a")',
    'eval_type_error: object.remove: operand 2 must be one of {object, set, array} but got string',
  ],
  ['object.union({"a": {"b": 1}, "c": 1}, {"a": {"d": 2}, "c": {}})', '{"a": {"b": 1, "d": 2}, "c": {}}'],
  ['object.union_n([{"a": {"b": 2}}, {"a": 4}, {"a": {"c": 3}}])', '{"a": {"c": 3}}'],
  [
    'object.union_n([1])',
    'eval_type_error: object.union_n: operand 1 must be array of objects but got array containing number',
  ],
  ['object.subset({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}})', 'true'],
  ['object.subset([1, 2, 3], [2, 3])', 'true'],
  ['object.subset([1, 2, 3], [1, 3])', 'false'],
  ['object.subset([1, 1, 2, 1, 1, 3], [1, 1, 3])', 'true'],
  ['object.subset([3, 2, 1], {1, 2})', 'true'],
  [
    'object.subset({1}, [1])',
    'eval_type_error: object.subset: both arguments object.subset must be of the same type or array and set',
  ],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['json.filter({"a": {"b": 1, "c": 2}, "d": [1, 2]}, ["a/b", "d/1"])', '{"a": {"b": 1}, "d": [2]}'],
  ['json.filter({"a/b": 1, "~": 2}, ["a~1b"])', '{"a/b": 1}'],
  ['json.filter({"a": {"b": 1}}, ["a", "a/c"])', '{"a": {"b": 1}}'],
  ['json.remove({"a": [1, 2, 3]}, ["a/0", ["a", "2"]])', '{"a": [2]}'],
  ['json.remove({"a": {1, 2}}, [["a", 1]])', '{"a": {2}}'],
  [
    'json.remove({"a": 1}, [1])',
    'eval_type_error: json.remove: operand 2 must be one of {set, array} containing string paths or array of path segments but got number',
  ],
])('paths: %s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['{"a": 1}', '{"op": "add", "path": "b", "value": 2}', '{"a": 1, "b": 2}'],
  ['[1, 2]', '{"op": "add", "path": "/-", "value": 3}', '[1, 2, 3]'],
  ['[1, 2]', '{"op": "add", "path": [0], "value": 0}', '[0, 1, 2]'],
  ['[1, 2]', '{"op": "remove", "path": "0"}', '[2]'],
  ['[1, 2]', '{"op": "remove", "path": "01"}', 'undefined'],
  ['{"a": {"b": 1}}', '{"op": "replace", "path": "/a/b", "value": 2}', '{"a": {"b": 2}}'],
  ['{"a": {"b": 1}}', '{"op": "replace", "path": "", "value": 2}', '2'],
  ['{"a": 1}', '{"op": "move", "from": "a", "path": "b"}', '{"b": 1}'],
  ['{"a": 1}', '{"op": "copy", "from": "a", "path": "b"}', '{"a": 1, "b": 1}'],
  ['{"a": 1}', '{"op": "test", "path": "a", "value": 2}', 'undefined'],
  ['{"a": 1}', '{"op": "remove", "path": "b"}', 'undefined'],
  ['{"a": 1}', '{"op": "dance", "path": "a"}', 'undefined'],
  ['{1, 2}', '{"op": "remove", "path": [1]}', '{2}'],
  ['{[1]}', '{"op": "add", "path": [[1], 1], "value": 2}', '{[1, 2]}'],
  ['{1}', '{"op": "add", "path": [2], "value": 3}', 'undefined'],
])('json.patch(%s, [%s]) is %s', async (target, operation, wanted) => {
  expect(await answer(`json.patch(${target}, [${operation}])`)).toBe(wanted)
})
