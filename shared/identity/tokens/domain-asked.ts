import type { CreateToken } from './model.ts'

type Asked = Pick<CreateToken, 'domain' | 'auth_domain' | 'auth_domain_path'>

const ownerNamed = ({ auth_domain, auth_domain_path }: Asked): string | undefined =>
  auth_domain ??
  auth_domain_path
    ?.split('/')
    .filter((part) => part !== '')
    .at(-1)

/** The requested domain of the log-in, by name or id; `undefined` for the root domain. */
export const domainAsked = (asked: Asked): string | undefined => asked.domain ?? ownerNamed(asked)

/** The domain that owns the user, by name or id, if the request names it in addition to the domain of the log-in. */
export const ownerAsked = (asked: Asked): string | undefined =>
  asked.domain === undefined ? undefined : ownerNamed(asked)
