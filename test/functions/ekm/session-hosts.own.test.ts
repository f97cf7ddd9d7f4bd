import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { sessionHosts } from '../../../shared/endpoints/ekm/session-certificate/store.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { AttestedClient } from '../../support/attested-client.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { ENDPOINTS, useEkm } from './ekm.ts'

const ekm = useEkm()
const HOST = 'earlier.example.test'

const make = () => ekm().create({ endpoint_type: 'ekm-ude', keyURIHostname: HOST })
const change = ({ id }: any, body: object) => ekm().vault.admin.ok('PATCH', `${ENDPOINTS}/${id as string}`, body)
/** The status of a session's first call, once instances know the present endpoints. */
async function begin(): Promise<number> {
  ekm().vault.advance(60_001)
  const stet = new AttestedClient(ekm(), HOST, '', { aud: `https://${HOST}` })
  return (await stet.begin()).status
}

/** Leaves the host as it was before endpoints were counted. */
async function forgetCount(): Promise<void> {
  pointProcessAt(ekm().vault.service.deployment.environmentOf('triggers'))
  const stored = await sessionHosts.get(ROOT_DOMAIN_ID, HOST)
  if (stored === undefined) throw new Error('The host has no count')
  const changes = new Changes()
  changes.remove(sessionHosts, ROOT_DOMAIN_ID, stored)
  await changes.commit(ekm().now)
}

test('endpoints that were not counted yet accept sessions, and are counted after a change at their host', async () => {
  const [one, other] = [await make(), await make()]
  await change(other, { enabled: false })
  await forgetCount()
  expect(await begin(), 'nothing has changed since').toBe(200)
  const later = await make()
  await change(later, { enabled: false })
  expect(await begin(), 'the first one is enabled').toBe(200)
  await ekm().vault.service.deployment.fire('sweep-due')
  expect((await sessionHosts.get(ROOT_DOMAIN_ID, HOST))?.item).toEqual({ id: HOST, enabled: 1, isWhole: true })
  expect(await begin()).toBe(200)
  await change(one, { enabled: false })
  expect(await begin(), 'all of them are disabled').toBe(404)
  await change(other, { enabled: true })
  expect(await begin()).toBe(200)
})
