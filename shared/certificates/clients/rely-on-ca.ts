import { notThere } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { localCas } from '../authorities/store.ts'

/** Requires that the local authority in a body exists until the request commits. @throws Refusal NOT_FOUND */
export async function relyOnCa({ caller, changes }: Context, caId: string): Promise<void> {
  const domain = caller.domain.id
  const stored = await localCas.get(domain, caId)
  if (stored === undefined)
    throw notThere('There is no such local CA.', { pointer: '#/ca_id', detail: 'is no local CA of this domain' })
  changes.rely(localCas, domain, stored)
}
