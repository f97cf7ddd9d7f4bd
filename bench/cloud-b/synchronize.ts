import { measureRefresh } from '../synchronize.ts'
import type { Figure } from '../figure.ts'
import { benchedCloudB } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureRefresh(benchedCloudB, 0.6)
