import type { Route } from '../http/operation.ts'
import { routes as keys } from './keys/operations.ts'
import { routes as inspections } from './inspect/operations.ts'
import { keyPolicyResource } from './key-policies/key-policies.ts'
import { links } from './links/links.ts'
import { routes as requests } from './requests/operations.ts'
import { routes as secrets } from './secrets/operations.ts'
import { templates } from './templates/templates.ts'

/** The vault, except for virtual keys, whose routes are among those of clouds. */
export const routes: readonly Route[] = [
  ...keys,
  ...templates.routes,
  ...keyPolicyResource.routes,
  ...links.routes,
  ...secrets,
  ...requests,
  ...inspections,
]
