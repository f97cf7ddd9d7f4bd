import { setting } from '../../base/environment.ts'

const PLATFORM = 'https://login.microsoftonline.com'

/**
 * The identity platform, where tenants publish their keys and issue access tokens. Only the deployment configures it.
 */
export const platformAddress = (): string => setting('KEYMGR_DKE_IDENTITY_PLATFORM') || PLATFORM
