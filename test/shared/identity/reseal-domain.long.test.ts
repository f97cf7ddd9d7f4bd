import '../../../shared/wiring.ts'
import { beforeAll, expect, test } from 'vitest'
import { resealDomain } from '../../../shared/identity/domains/reseal-domain.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { connections } from '../../../shared/cloud/connections/store.ts'
import { REQUEST_KEY_PURPOSE, requestKeys, requestName } from '../../../shared/keyring/request-key.ts'
import { openFor } from '../../../shared/keyring/domain-key.ts'
import { domainKeys } from '../../../shared/keyring/domain-key-store.ts'
import { idsAfter } from '../../../shared/store/list.ts'
import { localKeys } from '../../../shared/vault/keys/store.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { useService } from '../../support/service.ts'
import { pointProcessAt } from '../../support/own-process.ts'

const service = useService()
let token = ''
const KEYS = 130

beforeAll(async () => {
  // Runs the same code in this process, as another instance of the trigger.
  pointProcessAt(service().deployment.environmentOf('triggers'))
  token = await service().logIn()
  const make = (at: number) => service().call('POST', '/v1/vault/keys2', { token, body: { name: `k${at}` } })
  for (let at = 0; at < KEYS; at += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => make(at + n)))
  const pair = { access_key_id: 'AKIASEALED0000000001', secret_access_key: 'hidden' }
  const clouds = '/v1/connectionmgmt/services/cloud-a/connections'
  await service().call('POST', clouds, { token, body: { name: 'sealed', ...pair } })
  for (let at = 0; at < 7; at++) await service().call('POST', `/v1/vault/keys2/k${at}/versions`, { token, body: {} })
})

/** Ids of the domain keys with which data is encrypted. */
async function sealings(): Promise<Set<string>> {
  const ids = [
    ...(await idsAfter(localKeys, ROOT_DOMAIN_ID, 'latest', undefined, 1_000)),
    ...(await idsAfter(localKeys, ROOT_DOMAIN_ID, 'former', undefined, 1_000)),
  ]
  expect(ids).toHaveLength(KEYS + 7)
  const connection = await connections.find(ROOT_DOMAIN_ID, 'name', 'sealed')
  const sealed = [connection, ...(await localKeys.getMany(ROOT_DOMAIN_ID, ids))]
  return new Set(sealed.map((stored) => sealedUnder(stored?.item.sealed ?? '')))
}

async function requestKey() {
  const sealed = (await requestKeys.get(ROOT_DOMAIN_ID, 'request-key'))?.item.sealed ?? ''
  return { under: sealedUnder(sealed), key: await openFor(ROOT_DOMAIN_ID, REQUEST_KEY_PURPOSE, sealed) }
}

test('resealing resumes after any stop, and two instances at it do no harm', async () => {
  const { body: former } = await service().call('GET', `/v1/domains/${ROOT_DOMAIN_ID}/keks`, { token })
  const oldId = former.resources[0].id as string
  await requestName(ROOT_DOMAIN_ID, 'any', new Date())
  const { key } = await requestKey()
  const { body: present } = await service().call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`, { token })
  const now = new Date(Date.now() + 61_000)
  const places: string[] = []
  for (let stops = 0; stops < 60; stops++) {
    await Promise.all(
      [
        resealDomain(ROOT_DOMAIN_ID, oldId, now, () => false),
        resealDomain(ROOT_DOMAIN_ID, oldId, now, () => false),
      ].map((one) => one.catch(() => undefined)),
    )
    const stored = await domainKeys.get(ROOT_DOMAIN_ID, oldId)
    if (stored?.item.state === 'retired') break
    places.push(
      `${stored?.item.reseal?.entity ?? ''} ${stored?.item.reseal?.after === undefined ? 'from its beginning' : 'within'}`,
    )
  }
  expect(places).toContain('local-key latest within')
  expect(places).toContain('local-key former from its beginning')
  expect((await domainKeys.get(ROOT_DOMAIN_ID, oldId))?.item.state).toBe('retired')
  expect(await sealings()).toEqual(new Set([present.id as string]))
  expect(await requestKey()).toEqual({ under: present.id, key })
  expect(await service().logIn()).toBeTruthy()
})

/** Changes the sealed field of a key directly in the table. @returns the former value */
async function tamper(name: string, sealed: (before: string) => string): Promise<string> {
  const stored = await localKeys.find(ROOT_DOMAIN_ID, 'name', name)
  if (stored?.item.sealed === undefined) throw new Error('The key has material')
  const changes = new Changes()
  changes.update(localKeys, ROOT_DOMAIN_ID, stored, { ...stored.item, sealed: sealed(stored.item.sealed) })
  await changes.commit(new Date())
  return stored.item.sealed
}

test('a failed rotation reports the failure and can be retried', async () => {
  const { body: before } = await service().call('GET', `/v1/domains/${ROOT_DOMAIN_ID}/keks?limit=-1`, { token })
  const former =
    (before.resources as { id: string; state: string }[]).find(({ state }) => state === 'current')?.id ?? ''
  const whole = await tamper('k77', (sealed) => `${sealed.slice(0, -8)}AAAAAAA=`)
  await service().call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`, { token })
  const now = new Date(Date.now() + 130_000)
  const stateOf = async () => (await domainKeys.get(ROOT_DOMAIN_ID, former))?.item.state
  for (let round = 0; round < 60 && (await stateOf()) === 'resealing'; round++)
    await resealDomain(ROOT_DOMAIN_ID, former, now, () => true)
  expect(await stateOf()).toBe('failed')
  await tamper('k77', () => whole)
  const retried = await service().call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/retry-kek-rotation`, { token })
  expect([retried.status, retried.body.state]).toEqual([202, 'resealing'])
  await resealDomain(ROOT_DOMAIN_ID, former, now, () => true)
  expect(await stateOf()).toBe('retired')
  expect((await sealings()).has(former)).toBe(false)
})
