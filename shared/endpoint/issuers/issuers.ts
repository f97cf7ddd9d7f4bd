import type * as z from 'zod'
import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { createdStored, ok, operation, route, type Route } from '../../http/operation.ts'
import type { Kind } from '../../resource/kind.ts'
import { assertNameFree, newCommonFields, stageNew } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import type { AllowsLoopback } from './address.ts'
import { findIssuer } from './find-issuer.ts'
import { createIssuerBody, FoundIssuer, Issuer, IssuerQuery, type CreateIssuer } from './model.ts'
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
}

/** What every protocol declares alike about its issuers. */
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

type IssuerKind = Kind<Issuer, ReturnType<IssuerEntity['row']>, z.input<typeof Issuer>>

const isTaken = (noun: string, { iss }: CreateIssuer): Refusal => {
  const field = iss === undefined ? 'openidConfigurationURL' : 'iss'
  return new Refusal('NAME_TAKEN', `The identity provider has another ${noun} already.`, {
    errors: [{ pointer: `#/${field}`, detail: `has another ${noun}` }],
  })
}

/**
 * POST of a new issuer, or with `dryRun` of the provider as it is found. The provider must be one whose tokens can be
 * verified.
 */
export function createIssuerRoute(of: IssuersOf, kind: IssuerKind): Route {
  const { entity, noun, title, at, allowsLoopback } = of

  /** The provider, found once per request. @throws Refusal NAME_TAKEN, RULE_BROKEN */
  async function found(context: Context, body: CreateIssuer): Promise<FoundIssuer> {
    await assertNameFree(kind, context, body.name)
    const provider = await context.once(noun, () => findIssuer(body, allowsLoopback()))
    const holder = await entity.holder(context.caller.domain.id, 'iss', provider.iss)
    if (holder !== undefined) throw isTaken(noun, body)
    return provider
  }

  /** @throws Refusal NAME_TAKEN for the name or the `iss`; RULE_BROKEN */
  async function createFound(context: Context, body: CreateIssuer): Promise<Stored<z.input<typeof Issuer>>> {
    const provider = await found(context, body)
    return stageNew(kind, context, {
      ...newCommonFields(kind, context),
      name: body.name,
      ...without(provider, 'keys', 'usable_keys'),
      ...(body.meta && { meta: body.meta }),
    })
  }

  return route(
    'POST',
    at,
    operation(
      {
        summary: `Create ${title}`,
        body: createIssuerBody(allowsLoopback),
        answers: Issuer,
        tries: FoundIssuer,
        status: 201,
        may: 'keymgr-admins',
      },
      async ({ body, context }) =>
        body.dryRun ? ok(await found(context, body)) : createdStored(await createFound(context, body)),
    ),
  )
}
