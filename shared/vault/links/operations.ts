import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { createLink, deleteLink, getLink, listLinks, updateLink } from './links.ts'
import { CreateKeyLink, KeyLink, KeyLinkQuery, UpdateKeyLink } from './model.ts'

const on = routesOn({ at: '/v1/vault/links', answers: KeyLink, reads: 'key-users', changes: 'key-admins' })

/** Links between keys, beside those that the halves of a pair have. */
export const routes: readonly Route[] = [
  on.list('List Key Links', KeyLinkQuery, listLinks),
  on.create('Create Key Link', CreateKeyLink, createLink),
  on.get('Get Key Link', getLink),
  on.update('Update Key Link', UpdateKeyLink, updateLink),
  on.remove('Delete Key Link', deleteLink),
]
