import { deferred } from './deferred.ts'

/** The groups that are imported when a policy first calls one of their built-ins. */
export const DEFERRED = [
  ...deferred(async () => (await import('./regex.ts')).REGEX, {
    'regex.match': { arity: 2 },
    re_match: { arity: 2, deprecated: true },
    'regex.is_valid': { arity: 1 },
    'regex.split': { arity: 2 },
    'regex.replace': { arity: 3 },
    'regex.find_n': { arity: 3 },
    'regex.find_all_string_submatch_n': { arity: 3 },
    'regex.template_match': { arity: 4 },
    'regex.globs_match': { arity: 2 },
  }),
  ...deferred(async () => (await import('./yaml.ts')).YAML, {
    'yaml.marshal': { arity: 1 },
    'yaml.unmarshal': { arity: 1 },
    'yaml.is_valid': { arity: 1 },
  }),
  ...deferred(async () => (await import('./tokens.ts')).TOKENS, {
    'io.jwt.decode': { arity: 1 },
    'io.jwt.decode_verify': { arity: 2 },
    'io.jwt.verify_hs256': { arity: 2 },
    'io.jwt.verify_hs384': { arity: 2 },
    'io.jwt.verify_hs512': { arity: 2 },
    'io.jwt.verify_rs256': { arity: 2 },
    'io.jwt.verify_rs384': { arity: 2 },
    'io.jwt.verify_rs512': { arity: 2 },
    'io.jwt.verify_ps256': { arity: 2 },
    'io.jwt.verify_ps384': { arity: 2 },
    'io.jwt.verify_ps512': { arity: 2 },
    'io.jwt.verify_es256': { arity: 2 },
    'io.jwt.verify_es384': { arity: 2 },
    'io.jwt.verify_es512': { arity: 2 },
    'io.jwt.verify_eddsa': { arity: 2 },
    'io.jwt.encode_sign': { arity: 3 },
    'io.jwt.encode_sign_raw': { arity: 3 },
  }),
  ...deferred(async () => (await import('./certificates.ts')).CERTIFICATES, {
    'crypto.x509.parse_certificates': { arity: 1 },
  }),
  ...deferred(async () => (await import('./schemas.ts')).SCHEMAS, {
    'json.verify_schema': { arity: 1 },
    'json.match_schema': { arity: 2 },
  }),
]
