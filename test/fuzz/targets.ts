import type { Target } from './target.ts'

/** Parsers of input from outside, each loaded when it is asked for. */
export const TARGETS: Readonly<Record<string, () => Promise<{ target: Target }>>> = {
  der: () => import('./targets/der.ts'),
  pkcs12: () => import('./targets/pkcs12.ts'),
  jwe: () => import('./targets/jwe.ts'),
  jws: () => import('./targets/jws.ts'),
  sigv4: () => import('./targets/sigv4.ts'),
  cron: () => import('./targets/cron.ts'),
  rego: () => import('./targets/rego.ts'),
  zip: () => import('./targets/zip.ts'),
  ldap: () => import('./targets/ldap.ts'),
  ciphertext: () => import('./targets/ciphertext.ts'),
  tls: () => import('./targets/tls.ts'),
}
