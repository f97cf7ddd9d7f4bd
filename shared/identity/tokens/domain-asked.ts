import type { CreateToken } from './model.ts'

/** The domain that a request names, by name or id; `undefined` for the root domain. */
export const domainAsked = ({
  domain,
  auth_domain,
  auth_domain_path,
}: Pick<CreateToken, 'domain' | 'auth_domain' | 'auth_domain_path'>): string | undefined =>
  domain ??
  auth_domain ??
  auth_domain_path
    ?.split('/')
    .filter((part) => part !== '')
    .at(-1)
