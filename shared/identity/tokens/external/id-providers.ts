import { listed, listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { loginConnections } from '../../connections/store.ts'
import { domainNamed } from '../credentials.ts'
import type { IdProvider, IdProviderQuery } from './oidc-model.ts'

/** Enabled external ways to log in to a domain. A domain that does not exist has none, like one without connections. */
export async function idProviders({ domain: name, ...query }: IdProviderQuery): Promise<ResourceList<IdProvider>> {
  const domain = await domainNamed(name)
  if (domain === undefined) return listedWhole<IdProvider>([], query, () => undefined)
  return listed(loginConnections, domain.id, query, {
    served: 'all',
    matches: ({ enabled }) => enabled,
    present: ({ item }) => ({ name: item.name, strategy: item.strategy }),
  })
}
