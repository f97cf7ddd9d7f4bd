import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { foundIssuer, issuerRecord, issuerResource } from '../../../endpoint/issuers/issuers.ts'
import { FoundIssuer, Issuer, NEW_ISSUER_RULES, newIssuerFields } from '../../../endpoint/issuers/model.ts'
import { createdStored, ok, operation, route } from '../../../http/operation.ts'
import { withRules } from '../../../http/rules.ts'
import { newCommonFields, stageNew } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { isLoopbackAllowed } from '../loopback.ts'
import { takersOf } from '../store.ts'
import { kaclsIssuers } from './store.ts'

const OF = {
  entity: kaclsIssuers,
  noun: 'KACLS issuer',
  title: 'KACLS Issuer',
  at: '/v1/keymgr/WorkspaceCSE/issuers',
  allowsLoopback: isLoopbackAllowed,
}

/**
 * Identity providers, whose tokens identify users to endpoints. Ours: an endpoint copies the fields that it needs, so
 * an issuer that an endpoint names cannot be deleted. An endpoint that adds the issuer at the same time writes the
 * issuer's item: the deletion then runs again.
 */
export const issuers = resource({
  ...issuerResource(OF),
  release: async ({ caller }, { id, name }) => {
    const { total, names } = await takersOf(caller.domain.id, id)
    if (total === 0) return
    const others = total > names.length ? ` and ${total - names.length} more` : ''
    throw new Refusal('IN_USE', `The KACLS issuer ${name} is used by ${names.join(', ')}${others}.`)
  },
})

const CreateKaclsIssuer = withRules(
  strictObject(() => ({
    ...newIssuerFields(isLoopbackAllowed),
    dryRun: z.boolean().default(false).meta({ description: 'checks the provider, and stores nothing' }),
  })),
  ...NEW_ISSUER_RULES,
)

/** Creates an issuer, or with `dryRun` shows the provider that was found. */
export const createIssuer = route(
  'POST',
  OF.at,
  operation(
    {
      summary: 'Create KACLS Issuer',
      body: CreateKaclsIssuer,
      answers: Issuer,
      tries: FoundIssuer,
      status: 201,
      may: 'keymgr-admins',
    },
    async ({ body, context }) => {
      const provider = await foundIssuer(OF, issuers, context, body)
      if (body.dryRun) return ok(provider)
      const record = issuerRecord(newCommonFields(issuers, context), body, provider)
      return createdStored(await stageNew(issuers, context, record))
    },
  ),
)
