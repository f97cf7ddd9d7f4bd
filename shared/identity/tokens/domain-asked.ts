import type { CreateToken } from './model.ts'

type Asked = Pick<CreateToken, 'domain' | 'auth_domain' | 'auth_domain_path'>

const ownerNamed = ({ auth_domain, auth_domain_path }: Asked): string | undefined =>
  auth_domain ??
  auth_domain_path
    ?.split('/')
    .filter((part) => part !== '')
    .at(-1)

/** The domain that a request logs in to, by name or id; `undefined` for the root domain. */
export const domainAsked = (asked: Asked): string | undefined => asked.domain ?? ownerNamed(asked)

/** The domain that owns the user, by name or id, where a request says it beside the one that it logs in to. */
export const ownerAsked = (asked: Asked): string | undefined =>
  asked.domain === undefined ? undefined : ownerNamed(asked)
