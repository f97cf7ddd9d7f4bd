import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { archive } from './keys2/archive.ts'
import { createVersion } from './keys2/create-version.ts'
import { create } from './keys2/create.ts'
import { remove } from './keys2/delete.ts'
import { destroy } from './keys2/destroy.ts'
import { exportOne } from './keys2/export.ts'
import { get } from './keys2/get.ts'
import { versions } from './keys2/list-versions.ts'
import { list } from './keys2/list.ts'
import { reactivate } from './keys2/reactivate.ts'
import { recover } from './keys2/recover.ts'
import { revoke } from './keys2/revoke.ts'
import { update } from './keys2/update.ts'

/** Keys this service holds itself. */
export const routes: readonly Route[] = [
  route('GET', '/v1/vault/keys2', list),
  route('POST', '/v1/vault/keys2', create),
  route('GET', '/v1/vault/keys2/{id}', get),
  route('PATCH', '/v1/vault/keys2/{id}', update),
  route('DELETE', '/v1/vault/keys2/{id}', remove),
  route('GET', '/v1/vault/keys2/{id}/versions', versions),
  route('POST', '/v1/vault/keys2/{id}/versions', createVersion),
  route('POST', '/v1/vault/keys2/{id}/export', exportOne),
  route('POST', '/v1/vault/keys2/{id}/revoke', revoke),
  route('POST', '/v1/vault/keys2/{id}/reactivate', reactivate),
  route('POST', '/v1/vault/keys2/{id}/archive', archive),
  route('POST', '/v1/vault/keys2/{id}/recover', recover),
  route('POST', '/v1/vault/keys2/{id}/destroy', destroy),
]

export const handler = serve(routes)
