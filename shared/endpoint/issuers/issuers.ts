import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { resourceUri, type CommonFields } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Kind } from '../../resource/kind.ts'
import { assertNameFree } from '../../resource/records.ts'
import type { AllowsLoopback } from './address.ts'
import { findIssuer } from './find-issuer.ts'
import { Issuer, IssuerQuery, type FoundIssuer, type NewIssuer } from './model.ts'
import type { IssuerEntity } from './store.ts'

/** Issuers of one protocol. */
interface IssuersOf {
  readonly entity: IssuerEntity
  /** as in "KACLS issuer" */
  readonly noun: string
  /** as in the summary "Create KACLS Issuer" */
  readonly title: string
  readonly at: string
  readonly allowsLoopback: AllowsLoopback
  /** whether tokens with this `iss` are those of an issuer that is no record */
  readonly isReserved?: (iss: string) => boolean
}

/** The declarations about issuers that all protocols share. */
export const issuerResource = ({ entity, noun, title, at }: IssuersOf) =>
  ({
    entity,
    noun,
    title,
    at,
    reads: 'keymgr-admins',
    changes: 'keymgr-admins',
    answers: Issuer,
    query: IssuerQuery,
    uri: (domain: string, id: string) => resourceUri(domain, 'keymgr', entity.name, id),
    pointers: { iss: '#/iss' },
    audited: ['name', 'iss', 'jwksURL', 'openidConfigurationURL'],
  }) as const

const isTaken = (noun: string, { iss }: NewIssuer): Refusal => {
  const field = iss === undefined ? 'openidConfigurationURL' : 'iss'
  return new Refusal('NAME_TAKEN', `The identity provider has another ${noun} already.`, {
    errors: [{ pointer: `#/${field}`, detail: `has another ${noun}` }],
  })
}

/**
 * The provider that a body describes, found once per request; its tokens can be verified.
 * @throws Refusal NAME_TAKEN for the name or the `iss`, RULE_BROKEN
 */
export async function foundIssuer(
  { entity, noun, allowsLoopback, isReserved = () => false }: IssuersOf,
  kind: Kind<Issuer, ReturnType<IssuerEntity['row']>, unknown>,
  context: Context,
  body: NewIssuer,
): Promise<FoundIssuer> {
  await assertNameFree(kind, context, body.name)
  const provider = await context.once(noun, () => findIssuer(body, allowsLoopback()))
  const holder = await entity.holder(context.caller.domain.id, 'iss', provider.iss)
  if (holder !== undefined || isReserved(provider.iss)) throw isTaken(noun, body)
  return provider
}

/** A new issuer. */
export const issuerRecord = (common: CommonFields, { name, meta }: NewIssuer, provider: FoundIssuer): Issuer => ({
  ...common,
  name,
  ...without(provider, 'keys', 'usable_keys'),
  ...(meta && { meta }),
})
