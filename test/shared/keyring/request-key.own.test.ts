import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { openFor } from '../../../shared/keyring/domain-key.ts'
import { REQUEST_KEY_PURPOSE, requestKeys, requestName } from '../../../shared/keyring/request-key.ts'
import { childAdmin } from '../../support/callers.ts'
import { useService } from '../../support/service.ts'
import { pointProcessAt } from '../../support/own-process.ts'

const service = useService()
let other = ''

beforeAll(async () => {
  pointProcessAt(service().deployment.environmentOf('triggers'))
  other = (await childAdmin(service(), 'other')).childId
})

const DIGEST = createHash('sha256').update('{"value":"1234"}').digest('hex')
const nameIn = (domain: string, digest = DIGEST) => requestName(domain, digest, new Date())

test('concurrent first requests agree on one key, which is stored sealed', async () => {
  const names = await Promise.all(Array.from({ length: 5 }, () => nameIn(ROOT_DOMAIN_ID)))
  expect(new Set(names).size).toBe(1)
  const stored = await requestKeys.get(ROOT_DOMAIN_ID, 'request-key')
  const key = await openFor(ROOT_DOMAIN_ID, REQUEST_KEY_PURPOSE, stored?.item.sealed ?? '')
  expect(key).toHaveLength(32)
  expect(stored?.item.sealed).not.toContain(key.toString('base64'))
})

test('the hash is the same for the same request, and differs in another domain and for another request', async () => {
  const name = await nameIn(ROOT_DOMAIN_ID)
  expect(name).toMatch(/^[0-9a-f]{64}$/)
  expect(await nameIn(ROOT_DOMAIN_ID)).toBe(name)
  expect(new Set([name, await nameIn(other), await nameIn(ROOT_DOMAIN_ID, 'ff')]).size).toBe(3)
})

test('the name is no plain digest of the request', async () => {
  const once = createHash('sha256').update(DIGEST).digest('hex')
  expect([DIGEST, once]).not.toContain(await nameIn(ROOT_DOMAIN_ID))
})
