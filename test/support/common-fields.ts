import { expect } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../shared/base/ids.ts'

/** The common fields of every resource in answers. @param kind `<service>:<kind>`, as in its URI */
export const commonFieldsOf = ({ id }: { readonly id: string }, kind: string, domain = ROOT_DOMAIN_ID) => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  uri: `keymgr:${domain}:${kind}:${id}`,
  account: expect.any(String),
  application: expect.any(String),
  devAccount: expect.any(String),
  createdAt: expect.any(String),
  updatedAt: expect.any(String),
})
