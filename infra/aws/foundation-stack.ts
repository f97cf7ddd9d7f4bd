import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type ITable,
} from 'aws-cdk-lib/aws-dynamodb'
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events'
import { Key, type IKey } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership, type IBucket } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { OBJECTS, TABLE, TRUST_STORES } from '../functions.ts'
import { AuditArchive } from './audit-archive.ts'
import { excuse } from './excuse.ts'

export type FoundationTable = Pick<
  ITable,
  'tableArn' | 'tableName' | 'metricThrottledRequestsForOperations' | 'metricSystemErrorsForOperations'
>
type FoundationBucket = Pick<IBucket, 'bucketName' | 'arnForObjects'>
type FoundationBus = Pick<IEventBus, 'eventBusArn' | 'eventBusName'>

/** The resources that grants refer to. */
export interface Foundation {
  readonly table: FoundationTable
  /** Encrypts the table at rest. It is separate from the root key, so that its users need no rights on the root key. */
  readonly tableKey: IKey
  /** Encrypts the domain keys. Its loss makes every stored key unusable. */
  readonly rootKey: IKey
  readonly bus: FoundationBus
  /** Stores texts that are too long for an answer. */
  readonly bucket: FoundationBucket
  /** ARN pattern of all objects in it, whose names are generated. */
  readonly objectArns: string
  /** ARN pattern of all trust stores for callers' certificates. */
  readonly trustStoreArns: string
}

/**
 * Existing resources that are used instead of new ones: a table that was restored from a backup, and resources that a
 * deleted foundation retained.
 */
export interface Adopted {
  readonly tableName?: string | undefined
  readonly tableKeyArn?: string | undefined
  readonly rootKeyArn?: string | undefined
  readonly bucketName?: string | undefined
  readonly busName?: string | undefined
}

interface FoundationStackProps extends StackProps {
  readonly adopted?: Adopted
  /** Days for which archived audit records cannot be changed or removed; default: no archive. */
  readonly auditArchiveDays?: number
}

/** Waiting period before KMS deletes a key: the longest that it offers. */
const PENDING_DELETION = Duration.days(30)

/**
 * The resources that outlive any deployment: table, keys, bucket and bus. A separate stack, protected against deletion,
 * so that the compute resources can be replaced freely. CloudFormation generates the names, so that a retained resource
 * never conflicts with a new stack.
 */
export class FoundationStack extends Stack implements Foundation {
  readonly table: FoundationTable
  readonly tableKey: IKey
  readonly rootKey: IKey
  readonly bus: FoundationBus
  readonly bucket: FoundationBucket
  readonly objectArns: string
  readonly trustStoreArns: string

  constructor(scope: Construct, id: string, props: FoundationStackProps) {
    super(scope, id, { ...props, terminationProtection: true })
    const { tableName, tableKeyArn, rootKeyArn, bucketName, busName } = props.adopted ?? {}

    this.rootKey = this.key('RootKey', rootKeyArn, 'root', 'keymgr: seals the domain keys')
    this.tableKey = this.key('TableKey', tableKeyArn, 'table', 'keymgr: encrypts the table at rest')
    this.table = tableName === undefined ? this.createTable() : this.adoptTable(tableName)
    this.bucket =
      bucketName === undefined ? this.createBucket() : Bucket.fromBucketName(this, 'AdoptedObjects', bucketName)
    this.objectArns = this.exportValue(this.bucket.arnForObjects(`${OBJECTS.prefix}*`), { name: 'keymgr-objects' })
    this.trustStoreArns = this.exportValue(this.bucket.arnForObjects(`${TRUST_STORES}*`), {
      name: 'keymgr-trust-stores',
    })
    this.bus = busName === undefined ? this.createBus() : EventBus.fromEventBusName(this, 'AdoptedBus', busName)
    if (props.auditArchiveDays !== undefined)
      new AuditArchive(this, 'AuditArchive', { busName: this.bus.eventBusName, days: props.auditArchiveDays })
  }

  private key(id: string, adopted: string | undefined, alias: string, description: string): IKey {
    if (adopted !== undefined) return Key.fromKeyArn(this, `Adopted${id}`, adopted)
    return new Key(this, id, {
      alias: `keymgr-${alias}`,
      description,
      enableKeyRotation: true, // KMS keeps earlier versions of the material for decryption
      pendingWindow: PENDING_DELETION,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }

  private createTable(): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.tableKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    table.addGlobalSecondaryIndex({
      indexName: TABLE.dueIndex.name,
      partitionKey: { name: TABLE.dueIndex.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.dueIndex.sortKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY, // sweepers read the row itself, consistently, before they act
    })
    return table
  }

  /** A table outside this stack, which neither changes nor protects it (docs/operate/operate.md). */
  private adoptTable(tableName: string): ITable {
    return Table.fromTableAttributes(this, 'AdoptedTable', {
      tableName,
      encryptionKey: this.tableKey,
      globalIndexes: [TABLE.dueIndex.name],
    })
  }

  private createBus(): EventBus {
    const bus = new EventBus(this, 'Bus', {
      eventBusName: 'keymgr',
      description: 'keymgr: audit and life-cycle events',
    })
    bus.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE) // others attach their rules to it
    return bus
  }

  /**
   * Accessible to functions and, for five minutes each, through addresses that they sign; never otherwise, and never
   * without TLS.
   */
  private createBucket(): Bucket {
    const bucket = new Bucket(this, 'Objects', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED, // reports contain no key material
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        {
          prefix: OBJECTS.prefix,
          expiration: Duration.days(OBJECTS.afterDays),
          abortIncompleteMultipartUploadAfter: Duration.days(OBJECTS.unfinishedDays),
        },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    })
    excuse(
      bucket,
      'AwsSolutions-S1',
      'The log of the function that signs the address names the caller of each report; a log of the bucket would not.',
    )
    return bucket
  }
}
