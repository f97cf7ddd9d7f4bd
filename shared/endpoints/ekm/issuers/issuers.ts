import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { foundIssuer, issuerRecord, issuerResource } from '../../../endpoint/issuers/issuers.ts'
import { Issuer, ISSUER_FILTERS, NEW_ISSUER_RULES, newIssuerFields } from '../../../endpoint/issuers/model.ts'
import { FreeJson, Name } from '../../../http/common-fields.ts'
import { listQuery } from '../../../http/lists/list-query.ts'
import type { Route } from '../../../http/operation.ts'
import { withRules } from '../../../http/rules.ts'
import type { Reader } from '../../../resource/kind.ts'
import { resource } from '../../../resource/resource.ts'
import type { Stored } from '../../../store/entity.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { builtInIssuer } from '../data/issuer.ts'
import { isLoopbackAllowed } from './loopback.ts'
import { ISSUER_KIND } from './record.ts'
import { ekmIssuers } from './store.ts'

/** Id of the built-in issuer, which no record has. */
const BUILT_IN = '00000000-0000-4000-8000-000000000001'
const EPOCH = new Date(0)

/** The issuer of the cloud's own tokens, as the deployment configures it; it is no record of a domain. */
function builtIn(domain: string): Stored<Issuer> {
  const { iss, jwksURL } = builtInIssuer()
  const common = commonFields(domain, BUILT_IN, resourceUri(domain, 'keymgr', ISSUER_KIND, BUILT_IN), EPOCH)
  return { item: { ...common, name: 'built-in', iss, jwksURL }, rev: 0 }
}

/** @throws Refusal STATE_CONFLICT */
function assertOwn({ id }: Issuer): void {
  if (id === BUILT_IN) throw new Refusal('STATE_CONFLICT', 'The built-in issuer is read-only.')
}

const OF = {
  entity: ekmIssuers,
  noun: 'EKM issuer',
  title: 'EKM Issuer',
  at: '/v1/keymgr/ekm/issuers',
  allowsLoopback: isLoopbackAllowed,
  isReserved: (iss: string): boolean => builtInIssuer().names.includes(iss),
}

const EkmIssuer = extended(Issuer, () => ({
  built_in: z.boolean().meta({ description: 'the issuer of the cloud, which is read-only' }),
}))
const CreateEkmIssuer = withRules(z.strictObject(newIssuerFields(isLoopbackAllowed)), ...NEW_ISSUER_RULES)
const KIND = issuerResource(OF)
const UpdateEkmIssuer = strictObject(() => ({ name: Name.optional(), meta: FreeJson.nullable().optional() }))

/**
 * Issuers whose tokens endpoints and crypto spaces of the domain accept, besides those of the cloud. Ours: attested
 * sessions name no endpoint, so their tokens are the cloud's own.
 */
const issuers = resource({
  ...KIND,
  answers: EkmIssuer,
  query: listQuery(EkmIssuer, () => ISSUER_FILTERS),
  createBody: CreateEkmIssuer,
  updateBody: UpdateEkmIssuer,
  find: async ({ caller }: Reader, id: string) =>
    id === BUILT_IN ? builtIn(caller.domain.id) : ekmIssuers.get(caller.domain.id, id),
  narrow: ({ caller }) => ({ ids: 'untimed', extraItems: [builtIn(caller.domain.id)] }),
  make: async (context, body, common) => issuerRecord(common, body, await foundIssuer(OF, KIND, context, body)),
  check: (_context, record) => {
    assertOwn(record)
    return record
  },
  release: (_context, record) => assertOwn(record),
  present: (record: Issuer) => ({ ...record, built_in: record.id === BUILT_IN }),
})

/** Within five seconds every instance accepts tokens of a new issuer, and refuses those of a deleted one. */
export const issuerRoutes: readonly Route[] = issuers.routes
