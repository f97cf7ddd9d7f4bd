import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { namedQuery } from '../../resource/named-records.ts'
import { policies } from './key-policies.ts'
import { CreateKeyPolicy, KeyPolicy, UpdateKeyPolicy } from './model.ts'

const on = routesOn({ at: '/v1/vault/key-policies', answers: KeyPolicy, reads: 'key-users', changes: 'key-admins' })

/** Which keys may be made in a domain. */
export const routes: readonly Route[] = [
  on.list('List Key Policies', namedQuery(KeyPolicy), policies.list),
  on.create('Create Key Policy', CreateKeyPolicy, policies.create),
  on.get('Get Key Policy', policies.get),
  on.update('Update Key Policy', UpdateKeyPolicy, policies.update),
  on.remove('Delete Key Policy', policies.remove),
]
