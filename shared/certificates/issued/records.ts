import { without } from '../../base/fields.ts'
import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Kind } from '../../resource/kind.ts'
import { findRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { localCaKind } from '../authorities/records.ts'
import { isOver } from '../facts.ts'
import { uriOf } from '../identifiers.ts'
import type { IssuedCertificate } from './model.ts'
import { issuedCertificates, type CertificateRow, type StoredCertificate } from './store.ts'

/**
 * The state of a certificate. Ours: a revoked certificate stays revoked after its expiry, a suspended one becomes
 * expired.
 */
export function certificateStateAt(
  { notAfter, revoked_reason: reason }: Pick<StoredCertificate, 'notAfter' | 'revoked_reason'>,
  now: Date,
): IssuedCertificate['state'] {
  if (reason !== undefined && reason !== 'certificateHold') return 'revoked'
  if (isOver({ notAfter }, now)) return 'expired'
  return reason === undefined ? 'active' : 'hold'
}

/** Certificates of local authorities. */
export const certificateKind: Kind<StoredCertificate, CertificateRow, IssuedCertificate> = {
  noun: 'certificate',
  entity: issuedCertificates,
  uri: (domain, id) => uriOf(domain, 'certificate', id),
  pointers: { serial: '#/csr' },
  present: (certificate, { now }) => ({
    ...without(certificate, 'ca_id', 'by_admin'),
    state: certificateStateAt(certificate, now),
  }),
  audited: [
    'name',
    'ca',
    'purpose',
    'subject',
    'serialNumber',
    'notAfter',
    'sha256Fingerprint',
    'revoked_at',
    'revoked_reason',
  ],
}

/** A certificate of an authority of the caller's domain. @throws Refusal NOT_FOUND */
export async function findCertificate(
  context: Context,
  authorityId: string,
  id: string,
): Promise<Stored<StoredCertificate>> {
  const [, stored] = await Promise.all([
    findRecord(localCaKind, context, authorityId),
    findRecord(certificateKind, context, id),
  ])
  if (stored.item.ca_id !== authorityId) throw new Refusal('NOT_FOUND', 'There is no such certificate.')
  return stored
}

/** The same, for a change. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function findCertificateToChange(
  context: Context,
  authorityId: string,
  id: string,
): Promise<Stored<StoredCertificate>> {
  const stored = await findCertificate(context, authorityId, id)
  assertIfMatch(context, stored)
  return stored
}
