import { expect, test } from 'vitest'
import { expectRefused } from '../../vault/vault.ts'
import { keysOf } from '../cloud-a.ts'
import { sourceKey, tryHost, hostedBody, tests, NOBODY, host, inFront, connected, makeStore, STORES } from './set-up.ts'

test.each([
  ['another algorithm', { algorithm: 'hmac-sha256', usageMask: 12 }, 'AES'],
  ['another size', { size: 128 }, 'AES'],
  ['a key of two', { xts: true }, 'xts'],
  ['a key that may leave', { unexportable: false }, 'unexportable'],
  ['a key that can be deleted', { undeletable: false }, 'undeletable'],
  ['a key that may not decrypt', { usageMask: 4 }, 'decrypt'],
  ['a key that is not active yet', { activationDate: '2100-01-01T00:00:00Z' }, 'Active'],
])('a source key must fit: %s is refused with the reason', async (what, more, says) => {
  await sourceKey(what, more)
  const refused = await tryHost(hostedBody(what))
  expectRefused(refused, 422, 2, '#/local_hosted_params/source_key_id')
  expect(refused.body.errors).toEqual([
    { pointer: '#/local_hosted_params/source_key_id', detail: expect.stringContaining(says) },
  ])
})

test('everything that a source key lacks is reported at once', async () => {
  await tests().admin.create({ name: 'nothing fits', algorithm: 'hmac-sha256' })
  const { body } = await tryHost(hostedBody('nothing fits'))
  expect(body.errors).toHaveLength(4)
})

test('a creation names an existing store and source key, and a store accepts a source key once, in any version', async () => {
  const { admin } = tests()
  const first = await sourceKey('once a store')
  expectRefused(await tryHost(hostedBody('none')), 404, 5, '#/local_hosted_params/source_key_id')
  const nowhere = hostedBody('once a store', { custom_key_store_id: NOBODY })
  expectRefused(await tryHost(nowhere), 404, 5, '#/local_hosted_params/custom_key_store_id')
  await host('once a store')
  await admin.act('once a store', 'versions', {})
  for (const source of ['once a store', first.id as string])
    expectRefused(await tryHost(hostedBody(source)), 409, 7, '#/local_hosted_params/source_key_id')
  const linkedToo = hostedBody('once a store', { linked_state: true })
  expectRefused(await tryHost(linkedToo), 409, 8) // the store itself is not linked
  expect(await host('once a store', inFront())).toMatchObject({ custom_key_store_id: connected.id })
  expectRefused(await tryHost(hostedBody('once a store', inFront({ linked_state: true }))), 409, 7)
})

test('contradictory bodies are refused by field', async () => {
  await sourceKey('bodies')
  const blocked = hostedBody('bodies', { blocked: true, linked_state: true })
  expectRefused(await tryHost(blocked), 422, 2, '#/local_hosted_params/blocked')
  expectRefused(await tryHost({}), 422, 2, '#/local_hosted_params')
  expectRefused(
    await tryHost(hostedBody('bodies', { source_key_tier: 'hsm' })),
    422,
    2,
    '#/local_hosted_params/source_key_tier',
  )
  const twoPolicies = hostedBody('bodies', {}, { key_users: ['alice'], policytemplate: NOBODY })
  expectRefused(await tryHost(twoPolicies), 422, 2, '#/policytemplate')
  expectRefused(await tryHost(hostedBody('bodies', {}, { policytemplate: NOBODY })), 404, 5, '#/policytemplate')
})

test('a link needs a linked, connected store and a key, neither of them blocked', async () => {
  const { admin } = tests()
  await sourceKey('not yet')
  const key = await host('not yet', { blocked: true })
  expect(key.local_hosted_params.blocked).toBe(true)
  expectRefused(await keysOf(admin).tryAct(key.id, 'link', {}), 409, 8)
  await keysOf(admin).act(key.id, 'unblock')
  const notLinked = await keysOf(admin).tryAct(key.id, 'link', {})
  expectRefused(notLinked, 409, 8)
  expect(notLinked.body.detail).toContain('not linked')
  const store = await makeStore('not connected', { linked_state: true })
  await sourceKey('not connected')
  const refused = await tryHost(hostedBody('not connected', { custom_key_store_id: store.id, linked_state: true }))
  expectRefused(refused, 409, 8)
  expect(refused.body.detail).toContain('DISCONNECTED')
  await admin.ok('POST', `${STORES}/${connected.id}/block`)
  expectRefused(await tryHost(hostedBody('not connected', inFront({ linked_state: true }))), 409, 8)
  await admin.ok('POST', `${STORES}/${connected.id}/unblock`)
})

test('only hosted keys can be blocked, unblocked and linked, and none twice', async () => {
  const { admin } = tests()
  const native = await keysOf(admin).create({})
  for (const [action, body] of [['block'], ['unblock'], ['link', {}]] as const) {
    expectRefused(await keysOf(admin).tryAct(native.id, action, body), 409, 8)
    expectRefused(await keysOf(admin).tryAct(NOBODY, action, body), 404, 5)
  }
  await sourceKey('twice')
  const key = await host('twice')
  expectRefused(await keysOf(admin).tryAct(key.id, 'unblock'), 409, 8)
  await keysOf(admin).act(key.id, 'block')
  expectRefused(await keysOf(admin).tryAct(key.id, 'block'), 409, 8)
})

test('a rotation of a hosted key has no parameters, and needs an active local key', async () => {
  const { admin } = tests()
  const source = await sourceKey('turns')
  const key = await host('turns')
  for (const detail of [{ source_key_id: 'turns' }, { description: 'new' }, { disable_encrypt: true }])
    expectRefused(await keysOf(admin).tryAct(key.id, 'rotate', detail), 422, 2, `#/${Object.keys(detail)[0]}`)
  expect((await keysOf(admin).act(key.id, 'rotate', { source_key_tier: 'local' })).local_key_id).not.toBe(source.id)
  await admin.act('turns', 'revoke', { reason: 'CessationOfOperation' })
  expectRefused(await keysOf(admin).tryAct(key.id, 'rotate', {}), 409, 8)
})
