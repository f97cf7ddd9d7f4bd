import { expect, test } from 'vitest'
import { evaluate } from './conformance-case.ts'

/** the suite's format, with one case of each kind of outcome */
test('a case gives the variables of every solution', async () => {
  const one = { modules: ['package test\nq contains x if some x in input.xs'], query: 'data.test.q[x]; y = {x}' }
  expect(await evaluate({ ...one, regoVersion: 1, input: { xs: [2, 1] } })).toEqual([
    { bindings: { x: 1, y: [1] } },
    { bindings: { x: 2, y: [2] } },
  ])
})

test('a case of v0 reads its data, and its input as a term that holds sets', async () => {
  const one = { modules: ['package test\np = data.base | input.more'], query: 'data.test.p = x' }
  await expect(evaluate({ ...one, regoVersion: 0, inputTerm: '{"more": {2}}' })).resolves.toEqual([])
  const united = { ...one, modules: ['package test\np = {x | x = data.base[_]} | input.more'] }
  await expect(
    evaluate({ ...united, regoVersion: 0, data: { base: [1] }, inputTerm: '{"more": {2}}' }),
  ).resolves.toEqual([{ bindings: { x: [1, 2] } }])
})

test('a built-in that no policy may call can be replaced', async () => {
  const module = 'package test\nq := http.send({}).a\np := x if { x := q with http.send as {"a": 1} }'
  expect(await evaluate({ modules: [module], query: 'data.test.p = x', regoVersion: 1 })).toEqual([
    { bindings: { x: 1 } },
  ])
})

test.each([
  ['does not compile', 'p := x', false, 'rego_unsafe_var_error', 'var x is unsafe'],
  ['conflicts', 'p := 1\np := 2', false, 'eval_conflict_error', 'complete rules must not produce multiple outputs'],
  [
    'calls with a wrong operand',
    'p := abs(x) if some x in ["1"]',
    true,
    'eval_type_error',
    'abs: operand 1 must be number but got string',
  ],
])('a case that %s fails with code, message and place', async (_what, rules, strictErrors, code, message) => {
  const one = { modules: ['package other', `package test\n${rules}`], query: 'data.test.p = x' }
  await expect(evaluate({ ...one, regoVersion: 1, strictErrors })).rejects.toMatchObject({
    code,
    message,
    location: { file: 'test-1.rego' },
  })
})
