import * as z from 'zod'
import { ruleBroken } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import type { Context } from '../../http/context.ts'
import { subjectKeyOf } from '../../identity/users/ways-in.ts'
import type { StoredClient } from '../../identity/clients/store.ts'
import { users } from '../../identity/users/store.ts'
import { entity } from '../../store/entity.ts'
import { serialOf } from '../issued/store.ts'
import type { ClientCertificate } from './registration/client-certificate.ts'
import type { Brought } from './registration/model.ts'
import { object } from '../../base/lazy-fields.ts'

const of = (clientId: string): string => `of ${clientId}`

/**
 * Every certificate that a client ever had. A record outlives the client. Reads served: by fingerprint; those of a client.
 */
export const clientCertificates = entity({
  name: 'client-certificate',
  schema: object(() => ({
    sha256_fingerprint: z.string(),
    client_id: z.string(),
    ca_id: z.string(),
    serial_number: z.string(),
  })),
  id: ({ sha256_fingerprint }) => sha256_fingerprint,
  sets: () => ['all'],
  families: ({ client_id, sha256_fingerprint }) => [{ name: of(client_id), key: sha256_fingerprint }],
  row: () => ({}),
})

/** Whether a certificate is or was one of a client: it logs in no user, whatever its subject. */
export const isOfClient = async (fingerprint: string): Promise<boolean> =>
  (await clientCertificates.get(ROOT_DOMAIN_ID, fingerprint)) !== undefined

/**
 * Stages the record of a client's new certificate.
 * @throws Refusal RULE_BROKEN for the subject of a user, who could log in with it
 */
export async function stageClientCertificate(
  { changes }: Pick<Context, 'changes'>,
  clientId: string,
  { fields }: ClientCertificate,
  { ext_cert: brought }: Brought,
): Promise<void> {
  const { cert, ca_id, serial_number, sha256_fingerprint } = fields
  const key = subjectKeyOf(readCertificate(cert).subject)
  if (key !== undefined && (await users.holder(ROOT_DOMAIN_ID, 'subject', key)) !== undefined)
    throw ruleBroken(brought === undefined ? 'csr' : 'ext_cert', 'must have a subject that is no user of this domain')
  const record = { sha256_fingerprint, client_id: clientId, ca_id, serial_number }
  const known = await clientCertificates.get(ROOT_DOMAIN_ID, sha256_fingerprint)
  if (known === undefined) changes.create(clientCertificates, ROOT_DOMAIN_ID, record)
  else changes.update(clientCertificates, ROOT_DOMAIN_ID, known, record)
}

/** The issuer and serial number of a certificate. */
export interface Serial {
  readonly ca_id: string
  readonly serial_number: string
}

const serialsOf = async (clientId: string): Promise<readonly Serial[]> =>
  (
    await clientCertificates.getMany(
      ROOT_DOMAIN_ID,
      await clientCertificates.members(ROOT_DOMAIN_ID, of(clientId)),
      'leave out',
    )
  ).map(({ item }) => item)

/**
 * The certificates of a client, the present and the former one first. Clients of former releases have no records of
 * their certificates.
 */
export async function certificatesOf({ id, ca_id, serial_number, former }: StoredClient): Promise<readonly Serial[]> {
  const before = former && { ca_id: former.ca_id ?? ca_id, serial_number: former.serial_number }
  const last = [{ ca_id, serial_number }, ...(before ? [before] : [])]
  const all = [...last, ...(await serialsOf(id))]
  return [...new Map(all.map((one) => [serialOf(one.ca_id, one.serial_number), one])).values()]
}
