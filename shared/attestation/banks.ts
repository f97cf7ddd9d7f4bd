/** A bank of registers (PCRs): each hash has its own. */
export interface Bank {
  /** number of the hash for TPMs and logs. @see TPM 2.0 Part 2, TPM_ALG_ID */
  readonly id: number
  readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512'
  readonly bytes: number
}

/** The best bank first. */
export const BANKS: readonly Bank[] = [
  { id: 13, hash: 'sha512', bytes: 64 },
  { id: 12, hash: 'sha384', bytes: 48 },
  { id: 11, hash: 'sha256', bytes: 32 },
  { id: 4, hash: 'sha1', bytes: 20 },
]

export const bankNumbered = (id: number): Bank | undefined => BANKS.find((bank) => bank.id === id)

/** SHA-1 no longer protects: it neither signs nor proves. It is read because logs and messages contain it. */
export const isStrong = ({ hash }: Bank): boolean => hash !== 'sha1'

/** Registers of a TPM for a PC. */
export const PCR_COUNT = 24
