import { beforeAll } from 'vitest'
import { raw, type RawAnswer } from '../../support/raw.ts'
import { useService, type Answered, type Service } from '../../support/service.ts'

export const KEYS = '/v1/vault/keys2'
export const USERS = '/v1/usermgmt/users'
export const GROUPS = '/v1/usermgmt/groups'

/** Requests of an administrator. */
export interface Requests {
  readonly service: () => Service
  readonly token: () => string
  readonly logIn: () => Promise<void>
  readonly as: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>
  /** A request with these bytes as its body. */
  readonly sent: (body: string | Uint8Array, headers?: Record<string, string>, target?: string) => Promise<RawAnswer>
  readonly keysThere: () => Promise<number>
}

/** A service for the tests of one file, and its administrator. */
export function useRequests(): Requests {
  const service = useService()
  let token = ''
  const logIn = async (): Promise<void> => {
    token = await service().logIn()
  }
  beforeAll(logIn)
  const as: Requests['as'] = (method, path, body, headers = {}) =>
    service().call(method, path, { token, body, headers })
  return {
    service,
    token: () => token,
    logIn,
    as,
    sent: (body, headers = {}, target = KEYS) =>
      raw(service().deployment.baseUrl, {
        method: 'POST',
        target: `/api${target}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body,
      }),
    keysThere: async () => (await as('GET', KEYS)).body.total as number,
  }
}

/** The fields in a refusal, without duplicates, in order. */
export const fieldsOf = ({ body }: Pick<Answered, 'body'>): string[] => {
  const errors = (body.errors ?? []) as { pointer?: string; parameter?: string }[]
  return [...new Set(errors.map(({ pointer, parameter }) => pointer ?? parameter ?? ''))].sort()
}
