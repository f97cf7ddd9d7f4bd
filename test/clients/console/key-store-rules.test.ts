import { expect, test } from 'vitest'
import { ALLOWED } from '../../../clients/console/clouds/cloud-a/key-store-rules.ts'

type Facts = Parameters<(typeof ALLOWED)['link']>[0]

const store = (
  connection_state?: Facts['cloud_a_param']['connection_state'],
  { blocked = false, ...more }: Partial<Facts> & { readonly blocked?: boolean } = {},
): Facts => ({
  ...{ linked_state: connection_state !== undefined, gone: false, local_hosted_params: { blocked } },
  cloud_a_param: { ...(connection_state && { connection_state }) },
  ...more,
})
const offered = (facts: Facts): string[] =>
  Object.entries(ALLOWED).flatMap(([name, isAllowed]) => (isAllowed(facts) ? [name] : []))

test.each<[string, Facts, string[]]>([
  ['not linked', store(), ['link', 'block', 'rotate', 'delete']],
  ['not linked and blocked', store(undefined, { blocked: true }), ['unblock', 'rotate', 'delete']],
  ['disconnected', store('DISCONNECTED'), ['connect', 'block', 'rotate', 'delete']],
  ['disconnected and blocked', store('DISCONNECTED', { blocked: true }), ['unblock', 'delete']],
  ['connecting', store('CONNECTING'), ['disconnect', 'block', 'rotate']],
  ['connected', store('CONNECTED'), ['disconnect', 'block', 'rotate']],
  ['connected and blocked', store('CONNECTED', { blocked: true }), ['disconnect', 'unblock']],
  ['disconnecting', store('DISCONNECTING'), ['block', 'rotate']],
  ['failed', store('FAILED'), ['disconnect', 'block', 'rotate']],
  ['gone at the cloud', store('CONNECTED', { gone: true }), ['block', 'delete']],
])('a store that is %s is offered the actions that the service then allows', (_state, facts, actions) => {
  expect(offered(facts)).toEqual(actions)
})

test('a store that another service serves is offered only the actions of the cloud', () => {
  const { local_hosted_params: _, ...remote } = store('DISCONNECTED')
  expect(offered(remote)).toEqual(['connect', 'delete'])
})
