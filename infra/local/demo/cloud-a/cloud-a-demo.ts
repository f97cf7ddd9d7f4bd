import * as z from 'zod'
import { CLOUD_A_NAMES } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import type { Demo } from '../demo.ts'
import type { CloudUser } from './cloud-user.ts'

const Account = z.object({
  id: z.string(),
  cloud_name: z.enum(CLOUD_A_NAMES),
  access_key_id: z.string(),
  secret_access_key: z.string(),
})
/** The cloud's part of `endpoints.json`. */
export const Endpoints = z.object({
  endpoint: z.string(),
  accounts: z.array(Account).min(1),
  proxy_host: z.string().optional(),
})

/** Tools of the steps in this cloud. */
export interface CloudADemo extends Demo {
  readonly cloud: CloudUser
  readonly account: z.infer<typeof Account>
  readonly region: string
}

const DAY_SECONDS = 86_400

/** @returns a function that moves the clock by days; `undefined` where the demo cannot move the clock */
export const passDaysOf = ({ passSeconds }: Demo): ((days: number) => void) | undefined =>
  passSeconds && ((days) => passSeconds(days * DAY_SECONDS))
