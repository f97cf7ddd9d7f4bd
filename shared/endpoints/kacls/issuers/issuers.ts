import { Refusal } from '../../../base/errors.ts'
import { createIssuerRoute, issuerResource } from '../../../endpoint/issuers/issuers.ts'
import { resource } from '../../../resource/resource.ts'
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

/** Creates an issuer, or with `dryRun` shows the provider that was found. */
export const createIssuer = createIssuerRoute(OF, issuers)
