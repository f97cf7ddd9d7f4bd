import { beforeAll, expect, test } from 'vitest'
import { createExternalCa, updateExternalCa } from '../../../../shared/certificates/external/external.ts'
import { factsOf } from '../../../../shared/certificates/facts.ts'
import { renewSelf } from '../../../../shared/certificates/clients/renew.ts'
import { revokeClient } from '../../../../shared/certificates/clients/revoke.ts'
import { commonFields, ROOT_DOMAIN_ID, uuid } from '../../../../shared/base/ids.ts'
import { clients } from '../../../../shared/identity/clients/store.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { authority } from '../../../support/certificates.ts'
import { useTable } from '../../../support/store.ts'
import { callerFrom, makeDomain, request, ROOT } from '../../identity/users/requests.ts'

useTable()
const now = new Date()
const elsewhere = authority('Elsewhere')
const ids: string[] = []

/** A client with a certificate of its own from elsewhere. */
async function makeClient(name: string, ca_id: string): Promise<string> {
  const { cert, sha256Fingerprint, serialNumber, notBefore, notAfter } = factsOf(elsewhere.issue(name).cert)
  const id = uuid(now)
  const changes = new Changes()
  changes.create(clients, ROOT_DOMAIN_ID, {
    ...commonFields(ROOT_DOMAIN_ID, id, `keymgr:${ROOT_DOMAIN_ID}:client-management:client:${id}`, now),
    ...{ name, cert, ca_id, regtoken_id: uuid(now), group_ids: [], authentication_mode: 'fingerprint' },
    sha256_fingerprint: sha256Fingerprint,
    serial_number: serialNumber,
    not_before: notBefore,
    not_after: notAfter,
  })
  await changes.commit(now)
  return id
}

beforeAll(async () => {
  await makeDomain('root', { id: ROOT.id })
  const { item } = await request((context) => createExternalCa(context, { cert: elsewhere.cert }), { now })
  await request((context) => updateExternalCa(context, item.id, { allow_client_authentication: true }), { now })
  ids.push(await makeClient('one', item.id), await makeClient('other', item.id))
})

const asClient = (id = '', name = 'one') => ({
  now,
  caller: callerFrom(ROOT, { sub: id, groups: [], client: { id, name } }),
})

test('a client renews itself, and no other one', async () => {
  const [one = '', other = ''] = ids
  const [before, beside] = [await clients.get(ROOT.id, one), await clients.get(ROOT.id, other)]
  const { cert } = elsewhere.issue('anew')
  const { item } = await request((context) => renewSelf(context, { ext_cert: cert }), asClient(one))
  expect(item).toMatchObject({ id: one, cert, state: 'active' })
  expect((await clients.get(ROOT.id, one))?.item.former).toEqual({
    sha256_fingerprint: before?.item.sha256_fingerprint,
    serial_number: before?.item.serial_number,
    until: new Date(now.getTime() + 86_400_000).toISOString(),
  })
  expect(await clients.get(ROOT.id, other)).toEqual(beside)
})

test('users, revoked clients and holders of the certificate of another client do not', async () => {
  const [one = '', other = ''] = ids
  const renew = (ext_cert: string, options: object) =>
    request((context) => renewSelf(context, { ext_cert }), { now, ...options })
  const { cert } = elsewhere.issue('anew')
  await expect(renew(cert, {})).rejects.toMatchObject({ reason: 'ACTION_DENIED' })
  const taken = (await clients.get(ROOT.id, one))?.item.cert ?? ''
  await expect(renew(taken, asClient(other, 'other'))).rejects.toMatchObject({ reason: 'NAME_TAKEN' })
  await request((context) => revokeClient(context, other, { reason: 'unspecified' }), { now })
  await expect(renew(cert, asClient(other, 'other'))).rejects.toMatchObject({ reason: 'STATE_CONFLICT' })
})
