import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { namedQuery } from '../../resource/named-records.ts'
import { CreateKeyTemplate, KeyTemplate, UpdateKeyTemplate } from './model.ts'
import { namingListed, namingStored } from '../keys/policies/permission-groups.ts'
import { templates } from './templates.ts'

const on = routesOn({ at: '/v1/vault/templates', answers: KeyTemplate, reads: 'key-users', changes: 'key-admins' })

/** Defaults for new keys, which a body takes by `templateId`. */
export const routes: readonly Route[] = [
  on.list('List Key Templates', namedQuery(KeyTemplate), namingListed(templates.list)),
  on.create('Create Key Template', CreateKeyTemplate, namingStored(templates.create)),
  on.get('Get Key Template', namingStored(templates.get)),
  on.update('Update Key Template', UpdateKeyTemplate, namingStored(templates.update)),
  on.remove('Delete Key Template', templates.remove),
]
