import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['count("a😀")', '2'],
  ['count({"a": 1})', '1'],
  ['count(null)', 'eval_type_error: count: operand 1 must be one of {array, object, set, string} but got null'],
  ['sum([9223372036854775807, 1])', '9223372036854775808'],
  ['sum({0.1, 0.2})', '0.3'],
  ['sum(["a"])', 'eval_type_error: sum: operand 1 must be array of numbers but got array containing string'],
  ['product([])', '1'],
  ['max([1, "a", 3])', '"a"'],
  ['min({2, 1})', '1'],
  ['max([])', 'undefined'],
  ['sort([3, "b", null, {1}, 2])', '[null, 2, 3, "b", {1}]'],
  ['array.concat([1], [2])', '[1, 2]'],
  ['array.slice([1, 2, 3], -5, 2)', '[1, 2]'],
  ['array.slice([1, 2, 3], 2, 1)', '[]'],
  [
    'array.slice([1], 0.5, 1)',
    'eval_type_error: array.slice: operand 2 must be integer number but got floating-point number',
  ],
  ['array.reverse([1, 2])', '[2, 1]'],
  ['array.flatten([1, [2, [3]]])', '[1, 2, [3]]'],
  ['intersection({{1, 2}, {2, 3}})', '{2}'],
  ['intersection(set())', 'set()'],
  ['union({{1}, {2}})', '{1, 2}'],
  ['union({1})', 'eval_type_error: union: operand 1 must be set but got number'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['is_set({1})', 'true'],
  ['is_null(0)', 'false'],
  ['type_name(1.5)', '"number"'],
  ['to_number("-42.0")', '-42.0'],
  ['to_number("+1e3")', '1e3'],
  ['to_number(true)', '1'],
  ['to_number("Infinity")', 'eval_type_error: to_number: operand 1 must be valid number string but got string'],
  [
    'to_number([])',
    'eval_type_error: to_number: operand 1 must be one of {null, boolean, number, string} but got array',
  ],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test('a text that is no number causes that error', async () => {
  expect(await answer('to_number("1x")')).toMatch(/^eval_builtin_error: to_number: .*invalid syntax$/)
})

test.each([
  ['abs(-1.5)', '1.5'],
  ['ceil(-1.5)', '-1'],
  ['ceil(-0.5)', '0'],
  ['floor(-0.5)', '-1'],
  ['round(2.5)', '3'],
  ['round(-2.5)', '-3'],
  ['round(2.4)', '2'],
  ['numbers.range(2, 0)', '[2, 1, 0]'],
  ['numbers.range_step(0, 5, 2)', '[0, 2, 4]'],
  ['numbers.range_step(0, 5, 0)', 'eval_builtin_error: numbers.range_step: step must be a positive integer'],
  ['numbers.range("a", 1)', 'eval_type_error: numbers.range: operand 1 must be integer but got string'],
  ['bits.and(12, 10)', '8'],
  ['bits.or(12, 10)', '14'],
  ['bits.xor(12, 10)', '6'],
  ['bits.negate(0)', '-1'],
  ['bits.lsh(1, 64)', '18446744073709551616'],
  ['bits.rsh(-1, 9999999)', '-1'],
  [
    'bits.lsh(1, -1)',
    'eval_type_error: bits.lsh: operand 2 must be an unsigned integer number but got a negative integer',
  ],
  ['rand.intn("a", 0)', '0'],
  ['rand.intn("a", 10) == rand.intn("a", 10)', 'true'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})
