import { setting } from '../../base/environment.ts'

const PLATFORM = 'https://login.microsoftonline.com'

/** The identity platform: where its tenants publish their keys and give access tokens. Only the deployment names it. */
export const platformAddress = (): string => setting('KEYMGR_DKE_IDENTITY_PLATFORM') || PLATFORM
