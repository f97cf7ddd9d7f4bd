/** Technologies of confidential machines, by the number that the firmware measures. */
export const TECHNOLOGIES = ['NONE', 'AMD_SEV', 'AMD_SEV_ES', 'INTEL_TDX', 'AMD_SEV_SNP'] as const
export type Technology = (typeof TECHNOLOGIES)[number]

/**
 * Facts that evidence proved about a machine. Names are those of policies and answers; numbers of the cloud need 64
 * bits, so they are decimal text. An absent fact is not proved.
 */
export interface AttestedFacts {
  readonly technology?: Technology | undefined
  readonly instance_name?: string
  readonly instance_id?: string
  readonly project_id?: string
  readonly project_number?: string
  readonly zone?: string
  readonly firmware_version?: number
  readonly secure_boot?: boolean
  /** measurement of the machine's first memory, in hex; proved by a report of its processor */
  readonly snp_measurement?: string
}

/** Whether the evidence shows a confidential machine. */
export const isConfidential = ({ technology = 'NONE' }: Pick<AttestedFacts, 'technology'>): boolean =>
  technology !== 'NONE'
