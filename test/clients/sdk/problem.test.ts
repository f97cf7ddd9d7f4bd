import { expect, test } from 'vitest'
import { isProblem, isUnreachable, ProblemError, problemOf, UnreachableError } from '../../../clients/sdk/problem.ts'

test.each([
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [403, 'denied'],
  [404, 'not-found'],
  [409, 'conflict'],
  [412, 'stale'],
  [422, 'invalid'],
  [429, 'throttled'],
  [431, 'too-large'],
  [418, 'invalid'],
  [500, 'fault'],
  [502, 'cloud-refused'],
  [503, 'unavailable'],
  [504, 'too-slow'],
  [599, 'fault'],
])('status %i is of the kind %s', (status, kind) => {
  expect(new ProblemError(problemOf(status, {})).kind).toBe(kind)
})

test.each<[string, unknown, string]>([
  ['of the service', { title: 'Bad', detail: 'No.' }, 'No.'],
  ['of a gateway', { message: 'Service Unavailable' }, 'Service Unavailable'],
  ['of OAuth', { error: 'invalid_client', error_description: 'Unknown client' }, 'Unknown client'],
  ['of an external key store', { errorName: 'AccessDenied', errorMessage: 'Not you' }, 'Not you'],
  ['that is a page', '<html>', 'HTTP 503'],
  ['that is empty', undefined, 'HTTP 503'],
  ['of a list', [1], 'HTTP 503'],
])('a refusal %s has words', (_what, body, detail) => {
  expect(problemOf(503, body).detail).toBe(detail)
})

test('an error that names no field is left out, and no sentence is repeated', () => {
  const errors = [{ pointer: '#/a', detail: 'is required' }, { parameter: 'limit', detail: 'is too large' }, 'x', {}]
  const error = new ProblemError(problemOf(400, { detail: '#/a is required.', errors }))
  expect(error.errors).toHaveLength(2)
  expect(error.message).toBe('#/a is required.\nlimit is too large')
})

test('guards tell errors apart', () => {
  const problem = new ProblemError(problemOf(404, {}))
  expect([isProblem(problem), isProblem(problem, 'stale'), isProblem(problem, 'stale', 'not-found')]).toEqual([
    true,
    false,
    true,
  ])
  expect([isProblem(new Error('x')), isUnreachable(problem), isUnreachable(new UnreachableError('x', 1))]).toEqual([
    false,
    false,
    true,
  ])
})
