import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { defined, picked, without } from '../../../base/fields.ts'
import { assertRules, type ConnectionKind, type Own, type Secrets } from '../../../cloud/connections/kind.ts'
import { datacust } from '../adapter.ts'
import { faultOf } from '../adapter/addresses.ts'
import type { DatacustConnection as Opened } from '../adapter/types.ts'
import {
  DATACUST_BODIES,
  DATACUST_RULES,
  DatacustConnection,
  type DatacustConnectionFields,
  type UnsavedDatacustConnection,
  type UpdateDatacustConnection,
} from './model.ts'

const FIELDS = ['cloud_name', 'api_endpoint', 'technical_user_credentials', 'user_credentials'] as const
const fieldsOf = (record: DatacustConnectionFields): DatacustConnectionFields => defined(picked(record, ...FIELDS))

type Given = Pick<UnsavedDatacustConnection, 'technical_user_credentials' | 'user_credentials'>

/** The user of a body, and its secret. */
function ownOf(
  base: Pick<DatacustConnectionFields, 'cloud_name' | 'api_endpoint'>,
  given: Given,
): Own<DatacustConnectionFields> {
  const { technical_user_credentials: technical, user_credentials: user } = given
  const secret = technical?.secret ?? user?.secret ?? ''
  return {
    fields: {
      ...base,
      ...defined({
        technical_user_credentials: technical && without(technical, 'secret'),
        user_credentials: user && without(user, 'secret'),
      }),
    },
    secrets: { secret },
  }
}

/** @throws Refusal RULE_BROKEN */
function assertAddress(address: string): void {
  const fault = faultOf(address)
  if (fault !== undefined) throw ruleBroken('api_endpoint', fault)
}

/** A connection as the adapter uses it. */
export const openedOf = (fields: DatacustConnectionFields, { secret = '' }: Secrets): Opened => ({
  api_endpoint: fields.api_endpoint,
  ...defined({
    technical: fields.technical_user_credentials && { ...fields.technical_user_credentials, secret },
    standard: fields.user_credentials && { ...fields.user_credentials, secret },
  }),
})

const ADVICE = {
  technical: 'The secret of a technical user is accepted only after its activation, which saving the connection does.',
  standard: 'Users of an identity service cannot log in with a password: use a technical user.',
}

/** A refusal of the log-in, with its usual cause. */
function withAdvice(error: unknown, { technical_user_credentials: technical }: DatacustConnectionFields): unknown {
  if (!(error instanceof Refusal) || error.reason !== 'CLOUD_DENIED') return error
  const advice = technical === undefined ? ADVICE.standard : ADVICE.technical
  return new Refusal(error.reason, `${error.message} ${advice}`, { cause: error.cause })
}

/**
 * The secret of an activated technical user. Ours: a refusal is 422 and not 502, because the cloud refuses the secret of
 * this body, which can be activated once, and no stored credentials.
 */
async function activated(opened: Opened, budget: AbortSignal): Promise<string> {
  try {
    return await datacust.activate(opened, budget)
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'CLOUD_DENIED') throw error
    const detail = 'must be the secret of a technical user that is not activated yet'
    const errors = [{ pointer: '#/technical_user_credentials/secret', detail }]
    throw new Refusal('CLOUD_INVALID', `${error.message} A secret can be activated once.`, { cause: error, errors })
  }
}

/** Connections to datacust: a technical user, whose first secret is exchanged when it is stored, or a standard user. */
export const datacustConnections: ConnectionKind<
  DatacustConnectionFields,
  UnsavedDatacustConnection,
  UpdateDatacustConnection
> = {
  bodies: DATACUST_BODIES,
  shown: DatacustConnection,
  rules: DATACUST_RULES,
  fieldsOf,
  made: (_taken, { cloud_name, api_endpoint, ...given }) => {
    assertAddress(api_endpoint)
    return ownOf({ cloud_name, api_endpoint }, given)
  },
  changed: (_taken, before, body) => {
    const { technical_user_credentials: technical, user_credentials: user } = body
    const { cloud_name = before.cloud_name, api_endpoint = before.api_endpoint } = body
    assertAddress(api_endpoint)
    if (technical === undefined && user === undefined) {
      if (api_endpoint !== before.api_endpoint)
        throw ruleBroken('api_endpoint', 'needs the credentials again: no saved secret is sent elsewhere')
      return { fields: { ...before, cloud_name, api_endpoint } }
    }
    assertRules(DATACUST_RULES, { technical_user_credentials: technical, user_credentials: user })
    return ownOf({ cloud_name, api_endpoint }, { technical_user_credentials: technical, user_credentials: user })
  },
  entryOf: fieldsOf,
  exchanged: async (fields, secrets, budget) =>
    fields.technical_user_credentials === undefined
      ? secrets
      : { secret: await activated(openedOf(fieldsOf(fields), secrets), budget) },
  test: async (fields, secrets, _key, budget) => {
    try {
      await datacust.test(openedOf(fields, secrets), budget)
    } catch (error) {
      throw withAdvice(error, fields)
    }
  },
  audited: FIELDS,
}
