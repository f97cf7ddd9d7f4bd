/** Bits of a usage mask: the KMIP cryptographic usage mask, in its order. */
export const USAGE = {
  sign: 1,
  verify: 2,
  encrypt: 4,
  decrypt: 8,
  wrap: 16,
  unwrap: 32,
  export: 64,
  macGenerate: 128,
  macVerify: 256,
  derive: 512,
  contentCommit: 1024,
  keyAgreement: 2048,
  certificateSign: 4096,
  crlSign: 8192,
  generateCryptogram: 16384,
  validateCryptogram: 32768,
  translateEncrypt: 65536,
  translateDecrypt: 131072,
  translateWrap: 262144,
  translateUnwrap: 524288,
  fpeEncrypt: 1048576,
  fpeDecrypt: 2097152,
} as const

/** Every bit of `USAGE`. */
export const ALL_USAGE = 4194303
