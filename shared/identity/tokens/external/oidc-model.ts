import * as z from 'zod'
import { NameOrId } from '../../../http/common-fields.ts'
import { listQuery, oneText } from '../../../http/lists/list-query.ts'
import { object, strictObject } from '../../../base/lazy-fields.ts'
import { STRATEGIES } from '../../connections/strategy-names.ts'

const place = {
  connection: NameOrId.meta({ description: 'of strategy oidc, by name or id' }),
  domain: NameOrId.optional().meta({ description: 'to log in to, by name or id; default the root domain' }),
}

export const BeginAuthorization = strictObject(() => ({
  ...place,
  redirect_uri: z.string().min(1).max(1_024).meta({ description: 'one of the redirect_uris of the connection' }),
}))
export type BeginAuthorization = z.infer<typeof BeginAuthorization>

export const Authorization = object(() => ({
  authorization_url: z.string().meta({ description: 'to be opened in a browser' }),
  state: z.string().meta({ description: 'comes back with the code' }),
  authorization_token: z.string().meta({ description: 'secret: stays with whoever began, and finishes the log-in' }),
  expires_in: z.int().meta({ description: 'seconds' }),
}))
export type Authorization = z.infer<typeof Authorization>

export const BeginDevice = z.strictObject(place)
export type BeginDevice = z.infer<typeof BeginDevice>

export const DeviceAuthorization = object(() => ({
  user_code: z.string().meta({ description: 'to be typed in at verification_uri' }),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  device_token: z.string().meta({ description: 'secret: finishes the log-in once it is confirmed' }),
  interval: z.int().meta({ description: 'seconds between two questions at least' }),
  expires_in: z.int().meta({ description: 'seconds' }),
}))
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>

/** An external way to log in, in answers to unauthenticated callers. */
export const IdProvider = object(() => ({ name: z.string(), strategy: z.enum(STRATEGIES) }))
export type IdProvider = z.infer<typeof IdProvider>

export const IdProviderQuery = listQuery(IdProvider, () => ({ domain: oneText(NameOrId).optional() }))
export type IdProviderQuery = z.infer<typeof IdProviderQuery>
