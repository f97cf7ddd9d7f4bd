import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { findRecord, presented, shown, tell } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { localCaKind } from '../authorities/records.ts'
import { filtersOf } from '../facts.ts'
import type { IssuedCertificate, IssuedCertificateQuery } from './model.ts'
import { certificateKind, certificateStateAt, findCertificate, findCertificateToChange } from './records.ts'
import { issuedBy, issuedCertificates } from './store.ts'

/** @throws Refusal NOT_FOUND */
export async function listCertificates(
  context: Context,
  authorityId: string,
  query: IssuedCertificateQuery,
): Promise<ResourceList<IssuedCertificate>> {
  const { caller, now } = context
  await findRecord(localCaKind, context, authorityId)
  const { id, name, state, serialNumber } = query
  return listed(issuedCertificates, caller.domain.id, query, {
    served: issuedBy(authorityId),
    filters: {
      id,
      ...filtersOf(query),
      serialNumber: serialNumber?.map((serial) => serial.toLowerCase()),
    },
    patterns: { name },
    matches: (row) => state === undefined || state.includes(certificateStateAt(row, now)),
    matchesNarrows: state !== undefined,
    presentAll: (page) => presented(certificateKind, context, page),
  })
}

/** @throws Refusal NOT_FOUND */
export const getCertificate = async (
  context: Context,
  authorityId: string,
  id: string,
): Promise<Stored<IssuedCertificate>> =>
  shown(certificateKind, context, await findCertificate(context, authorityId, id))

/**
 * Deletes the record of a certificate, which does not affect its validity. Ours: a revoked certificate is published as
 * revoked until it expires, with or without its record.
 * @throws Refusal NOT_FOUND, VERSION_STALE
 */
export async function deleteCertificate(context: Context, authorityId: string, id: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findCertificateToChange(context, authorityId, id)
  changes.remove(issuedCertificates, caller.domain.id, stored)
  tell(certificateKind, context, stored.item, undefined)
}
