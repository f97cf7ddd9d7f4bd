import { expect, test } from 'vitest'
import {
  DEFAULT_PERIMETER,
  defaultAllows,
  type PerimeterInput,
} from '../../../../shared/endpoints/kacls/perimeter-default.ts'
import { compiledPolicy, decide, readPolicy } from '../../../../shared/serving/policy-decision.ts'

const same = (email: string, authorized: string): PerimeterInput => ({
  authentication: { email },
  authorization: { email: authorized },
})

test.each<[string, PerimeterInput, boolean]>([
  ['the same person', same('a@x.test', 'a@x.test'), true],
  ['the same person in another case', same('A@x.Test', 'a@X.test'), true],
  ['another person', same('b@x.test', 'a@x.test'), false],
  ['a space more', same('a@x.test ', 'a@x.test'), false],
  ['a letter that only looks the same', same('а@x.test', 'a@x.test'), false],
  ['letters beyond ASCII', same('ÄΣ@x.test', 'äσ@x.test'), true],
  ['a dotted capital', same('İ@x.test', 'i@x.test'), true],
  ['a Kelvin sign', same('\u212a@x.test', 'k@x.test'), true],
  [
    'the Workspace address first',
    { authentication: { email: 'b@x.test', workspace_email: 'a@x.test' }, authorization: { email: 'A@x.test' } },
    true,
  ],
  [
    'the Workspace address alone, where there is one',
    { authentication: { email: 'a@x.test', workspace_email: 'b@x.test' }, authorization: { email: 'a@x.test' } },
    false,
  ],
  [
    'no address but that of Workspace',
    { authentication: { workspace_email: 'a@x.test' }, authorization: { email: 'a@x.test' } },
    true,
  ],
  ['an empty Workspace address', { ...same('a@x.test', 'a@x.test'), authentication: { workspace_email: '' } }, false],
  ['empty addresses', same('', ''), true],
  ['no authorization', { authentication: { email: 'a@x.test' }, operation: 'unwrap', perimeter_id: '' }, false],
  ['an authorization without address', { authentication: { email: 'a@x.test' }, authorization: {} }, false],
  ['no authentication', { authorization: { email: 'a@x.test' } }, false],
  ['an authentication without address', { authentication: {}, authorization: { email: 'a@x.test' } }, false],
  ['nothing at all', {}, false],
  ['takeout', { perimeter_id: 'takeout' }, true],
  ['takeout of another person', { ...same('b@x.test', 'a@x.test'), perimeter_id: 'takeout' }, true],
  ['takeout in another case', { perimeter_id: 'Takeout' }, false],
  ['another perimeter', { ...same('b@x.test', 'a@x.test'), perimeter_id: 'p1' }, false],
  ['privilegedwrap', { operation: 'privilegedwrap' }, true],
  ['privilegedwrap of somebody alone', { authentication: { email: 'b@x.test' }, operation: 'privilegedwrap' }, true],
  ['wrap of another person', { ...same('b@x.test', 'a@x.test'), operation: 'wrap' }, false],
])('the default perimeter and its short cut agree on %s', async (_what, input, allowed) => {
  const policy = await compiledPolicy(DEFAULT_PERIMETER, 'v1')
  expect(decide(policy, { input: { ...input }, now: new Date(0), seed: 'of a test' })).toEqual({
    allowed,
    error: undefined,
  })
  expect(defaultAllows(input)).toBe(allowed)
})

test('the default perimeter can be uploaded as it is shown', async () => {
  expect(await readPolicy(DEFAULT_PERIMETER)).toEqual({ dialect: 'v1' })
})
