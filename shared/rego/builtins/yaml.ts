import type { Evaluations } from './deferred.ts'
import { unmarshal, validity } from './reading.ts'
import { readYaml } from './yaml-read.ts'
import { writeYaml } from './yaml-write.ts'

export const YAML = {
  'yaml.marshal': ([value = null], context) => writeYaml(value, context),
  'yaml.unmarshal': unmarshal(readYaml),
  'yaml.is_valid': validity(readYaml),
} satisfies Evaluations
