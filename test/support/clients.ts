import { X509Certificate } from 'node:crypto'
import { commonFields, resourceUri, ROOT_DOMAIN_ID, uuid } from '../../shared/base/ids.ts'
import { readCertificate } from '../../shared/crypto/x509/certificate.ts'
import { clients, type StoredClient } from '../../shared/identity/clients/store.ts'
import { groups } from '../../shared/identity/groups/store.ts'
import { Changes } from '../../shared/store/changes.ts'
import { openssl } from '../functions/ca/ca.ts'
import type { KeyedCertificate } from './mutual-tls.ts'

/** A new key, and a request for a certificate with this subject, as openssl writes it: `/UID=…/CN=…`. */
export async function newRequest(subject: string): Promise<{ csr: string; key: string }> {
  const key = await openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout'])
  const csr = await openssl(['req', '-new', '-key', '{key}', '-subj', subject], { key })
  return { csr, key }
}

export const newClientId = (): string => uuid(new Date())

export interface Registration {
  readonly id?: string
  readonly name: string
  readonly caId: string
  readonly identity: KeyedCertificate
  readonly mode?: StoredClient['authentication_mode']
  readonly groups?: readonly string[]
}

const commit = (work: (changes: Changes) => void, now: Date): Promise<void> => {
  const changes = new Changes()
  work(changes)
  return changes.commit(now)
}

/** Registers a client by its record. This process is to be pointed at the deployment of the test. */
export async function register(
  { id = newClientId(), name, caId, identity, mode = 'fingerprint', groups: names = [] }: Registration,
  now: Date,
): Promise<string> {
  const { serialNumber, sha256Fingerprint, notBefore, notAfter } = readCertificate(
    new X509Certificate(identity.cert).toString(),
  )
  const ids = await Promise.all(names.map((group) => groups.holder(ROOT_DOMAIN_ID, 'name', group)))
  const client: StoredClient = {
    ...commonFields(ROOT_DOMAIN_ID, id, resourceUri(ROOT_DOMAIN_ID, 'client-management', 'clients', id), now),
    name,
    cert: identity.cert,
    ca_id: caId,
    sha256_fingerprint: sha256Fingerprint,
    not_before: notBefore,
    not_after: notAfter,
    serial_number: serialNumber,
    regtoken_id: uuid(now),
    group_ids: ids.flatMap((groupId) => groupId ?? []),
    authentication_mode: mode,
  }
  await commit((changes) => changes.create(clients, ROOT_DOMAIN_ID, client), now)
  return id
}

/** Changes the record of a client; `undefined` removes it. */
export async function changeClient(id: string, change: Partial<StoredClient> | undefined, now: Date): Promise<void> {
  const stored = await clients.get(ROOT_DOMAIN_ID, id)
  if (stored === undefined) throw new Error('There is no such client')
  await commit((changes) => {
    if (change === undefined) changes.remove(clients, ROOT_DOMAIN_ID, stored)
    else changes.update(clients, ROOT_DOMAIN_ID, stored, { ...stored.item, ...change })
  }, now)
}
